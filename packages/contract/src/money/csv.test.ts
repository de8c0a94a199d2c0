import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvLine, csvValue, guardFormulas, isExact, withoutGuard } from './csv.ts';

const signs = ['=', '+', '-', '@', '|', '＝', '＋', '－', '＠'];
const text = (value: string) => csvLine([{ kind: 'text', value }]).slice(0, -2);

test.each(signs)('puts an apostrophe before a cell that starts with %s', (sign) => {
  expect(text(`${sign}1`)).toBe(`"'${sign}1"`);
});

test.each([
  ['\tx', '"\'\tx"'],
  ['\rx', '"\'\rx"'],
  [' =1+1', '" \'=1+1"'],
  ['\u00a0\u200b=1', '"\u00a0\u200b\'=1"'],
  ['"=1', '"""\'=1"'],
  ['Lender;=HYPERLINK("a","b")', '"Lender;\'=HYPERLINK(""a"",""b"")"'],
  ['Lender; "＝1', '"Lender; ""\'＝1"'],
  ['Lender,+1', '"Lender,\'+1"'],
  ['Lender\t@SUM(A1)', '"Lender\t\'@SUM(A1)"'],
  ['Lender\n=1', '"Lender\n\'=1"'],
  ['-5', '"\'-5"'],
])('guards text that a spreadsheet could execute: %j', (value, cell) => {
  expect(text(value)).toBe(cell);
});

test.each(['A-1', 'a=b', "O'Neil", 'info@shop.example', 'Ä Ö', '1|2', '', ' x '])(
  'writes harmless text unchanged: %j',
  (value) => {
    expect(text(value)).toBe(value);
  },
);

test.each([
  ['-12.50', 'point', '-12.50'],
  ['-12.50', 'comma', '-12,50'],
  ['0', 'comma', '0'],
  // Guarded, because it is not a number.
  ['-1+1', 'point', '"\'-1+1"'],
  ['=1', 'comma', '"\'=1"'],
] as const)('writes the number %s with a decimal %s', (value, decimal, cell) => {
  expect(csvLine([{ kind: 'number', value }], decimal)).toBe(`${cell}\r\n`);
});

test('separates values with commas, or with semicolons if decimals use commas', () => {
  const cells = [
    { kind: 'text', value: 'a' },
    { kind: 'number', value: '1.5' },
  ] as const;
  expect(csvLine(cells)).toBe('a,1.5\r\n');
  expect(csvLine(cells, 'comma')).toBe('a;1,5\r\n');
});

test.each([
  ['', '""'],
  ['A-1', '"A-1"'],
  ['Müller & Söhne, "Kredit"', '"Müller & Söhne, ""Kredit"""'],
])('writes an exact text unchanged in quotation marks: %j', (value, cell) => {
  expect(csvValue({ kind: 'exact', value })).toBe(cell);
});

test.each(['=1', ' +1', '"-1', 'a;@b', '\tx', '\rx'])(
  'writes no exact text that starts a formula or a new cell: %j',
  (value) => {
    expect(isExact(value)).toBe(false);
    expect(() => csvLine([{ kind: 'exact', value }])).toThrow(RangeError);
  },
);

const hostile = fc
  .array(fc.constantFrom(...signs, "'", '"', ',', ';', '\t', '\r', '\n', ' ', '\u00a0', 'a', '1'), {
    maxLength: 12,
  })
  .map((parts) => parts.join(''));

test('guards every sign that could start a spreadsheet cell, in any text', () => {
  fc.assert(
    fc.property(hostile, (value) => {
      for (const cell of guardFormulas(value).split(/[,;\t\r\n]/)) {
        expect(cell.replace(/^[\s"]+/, '')).not.toMatch(/^[=+\-@|＝＋－＠]/);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('reports a text as exact if the formula guard leaves it unchanged', () => {
  fc.assert(
    fc.property(hostile, (value) => {
      expect(isExact(value)).toBe(guardFormulas(value) === value);
    }),
    { numRuns: 5_000 },
  );
});

test('restores any guarded text exactly', () => {
  fc.assert(
    fc.property(hostile, (value) => {
      expect(withoutGuard(guardFormulas(value))).toBe(value);
    }),
    { numRuns: 5_000 },
  );
});
