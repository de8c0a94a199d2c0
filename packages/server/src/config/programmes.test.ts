import { expect, test } from 'vitest';
import { fileOf, programmeOf } from '../programmes/programmes.fixture.ts';
import { ConfigurationError, readConfiguration } from './config.ts';

const PATH = '/etc/financing/programmes.json';

function read(content: string | undefined) {
  return readConfiguration(
    {
      FINANCING_ENVIRONMENT: 'sandbox',
      FINANCING_BASE_URL: 'https://localhost:4443',
      FINANCING_PUBLIC_API_KEY: 'public-key-0123456789',
      FINANCING_PRIVATE_API_KEY: 'private-key-0123456789',
      ORDER_TICKET_SECRET: 'x'.repeat(32),
      COMPANION_ALLOWED_ORIGINS: 'https://shop.example',
      FINANCING_PROGRAMMES_FILE: content === undefined ? '' : PATH,
    },
    (path) => {
      if (path !== PATH || content === '(missing)') throw new Error('ENOENT');
      return content ?? '';
    },
  );
}

function problemOf(content: string): string {
  try {
    read(content);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  return 'accepted';
}

test('reads the file of programmes, which is optional', () => {
  const text = fileOf(programmeOf('a'));
  expect(read(text).programmeFile).toEqual({ path: PATH, text, file: JSON.parse(text) as object });
  expect(read(undefined).programmeFile).toBeUndefined();
});

test('refuses to start, and reports the file, the field and what to do, without the value', () => {
  const refusal = problemOf(fileOf(programmeOf('a'), programmeOf('b', { apr: 'nine' })));
  expect(refusal).toContain(`FINANCING_PROGRAMMES_FILE points to ${PATH}`);
  expect(refusal).toContain('programmes.1.apr must be a decimal in percent');
  expect(refusal).toContain('"financing-companion programmes check <file>"');
  expect(refusal).not.toContain('nine');
  expect(problemOf('(missing)')).toContain(`points to ${PATH}, which cannot be read`);
});
