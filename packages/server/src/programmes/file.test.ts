import { describe, expect, test } from 'vitest';
import { MAX_PROGRAMME_FILE_BYTES, ProgrammeFileError, readProgrammeFile } from './file.ts';
import { fileOf, programmeOf } from './programmes.fixture.ts';

function refusalOf(text: string): string {
  try {
    readProgrammeFile(text);
  } catch (error) {
    if (!(error instanceof ProgrammeFileError)) throw error;
    return error.message;
  }
  return 'accepted';
}

test('reads a file unchanged, even with a byte order mark', () => {
  const file = fileOf(programmeOf('a'), programmeOf('b', { categories: ['Seating'] }));
  expect(readProgrammeFile(file)).toEqual(JSON.parse(file));
  expect(readProgrammeFile(`\uFEFF${file}`)).toEqual(JSON.parse(file));
});

describe('refuses', () => {
  const [first] = programmeOf().texts;
  if (first === undefined) throw new Error('The fixture has no text.');
  const withText = (change: object) =>
    fileOf(programmeOf('a', { texts: [{ ...first, ...change }] }));

  test.each([
    [
      'a wrong rate',
      fileOf(programmeOf('a', { apr: 'SECRET' })),
      'programmes.0.apr must be a decimal',
    ],
    [
      'limits in the wrong order',
      fileOf(programmeOf('a', { amount: { min: 2, max: 1 } })),
      'programmes.0.amount.max must be at least min',
    ],
    [
      'two programmes with the same id',
      fileOf(programmeOf('a'), programmeOf('a')),
      'programmes must have one programme for each id',
    ],
    [
      'a payment without its rate',
      withText({ text: 'Only {payment}!' }),
      'programmes.0.texts.0.text names {payment}, so it must also name {apr}',
    ],
    [
      'a loan without its rate',
      fileOf(programmeOf('a', { apr: undefined })),
      'programmes.0.apr is required; a lease may have leaseCost instead',
    ],
    [
      'a loan with the cost of a lease',
      fileOf(programmeOf('a', { apr: undefined, leaseCost: '45' })),
      'programmes.0.leaseCost is only for a LeaseToOwn without apr',
    ],
    [
      'a lease with both a rate and a cost',
      fileOf(programmeOf('a', { productType: 'LeaseToOwn', leaseCost: '45' })),
      'programmes.0.leaseCost is only for a LeaseToOwn without apr',
    ],
    [
      'the rate in the text of a lease without one',
      fileOf(programmeOf('a', { productType: 'LeaseToOwn', apr: undefined, leaseCost: '45' })),
      'programmes.0.texts.0.text has an unknown placeholder; known are {amount}',
    ],
    [
      'a misspelled field',
      '{"programmes":[],"programs":[]}',
      'the file has an unknown field: programs',
    ],
    ['an empty file', '', 'The file is not JSON'],
    [
      'text that no database can store',
      withText({ text: 'SECRET \u0000' }),
      'programmes.0.texts.0.text contains U+0000',
    ],
    [
      'a lone surrogate',
      withText({ disclosure: { text: 'SECRET \ud800' } }),
      'programmes.0.texts.0.disclosure.text contains U+0000 or half',
    ],
    [
      'bytes that are not UTF-8',
      withText({ text: 'SECRET \uFFFD' }),
      'The file is not UTF-8 text.',
    ],
    [
      'a file that is too large',
      ' '.repeat(MAX_PROGRAMME_FILE_BYTES + 1),
      'The file has more than 1048576 bytes.',
    ],
  ])('%s, stating the location but not the value', (_, text, reason) => {
    const refusal = refusalOf(text);
    expect(refusal).toContain(reason);
    expect(refusal).not.toContain('SECRET');
  });

  test('text that is not JSON, stating the line but not the content', () => {
    const refusal = refusalOf('{\n  "programmes": [\n    {"id": "SECRET" "x"}\n  ]\n}');
    expect(refusal).toBe('The file is not JSON: see line 3 column 21.');
    expect(refusalOf('{"programmes": SECRET}')).toMatch(/^The file is not JSON/);
    expect(refusalOf('{"programmes": SECRET}')).not.toContain('SECRET');
  });
});
