import { type DuckDBConnection, DuckDBInstance, listValue } from '../../platform/duckdb.ts';
import { csvGuard, csvLine } from '@financing-checkout/contract/money';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { moneyCell, textCell } from './export-csv.ts';
import { decimal as decimalText, written } from '../basis/reasons.ts';

let connection: DuckDBConnection;

beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:')).connect();
});

async function cellsOf(sql: string, values: readonly string[], type: string): Promise<string[]> {
  // The database client drops a byte order mark at the beginning of a value.
  const found = await connection.runAndReadAll(
    `select '.' || (${sql}) from (select unnest($1::${type}[]) as value)`,
    [listValue([...values])],
  );
  return found.getRows().map(([cell]) => String(cell).slice(1));
}

/**
 * Characters of the guard with their neighbors, so that both implementations of a character class
 * must agree.
 */
const special = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code)).filter(
  (character) => new RegExp(`${csvGuard.sign}|${csvGuard.lead}|${csvGuard.border}`).test(character),
);
const signs = ['=', '+', '-', '@', '|', '＝', '＋', '－', '＠'];
const beside = ["'", '"', ',', ';', '\t', '\r', '\n', ' ', '\u00a0', 'a', '1'];
const character = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...signs, ...beside) },
  { weight: 2, arbitrary: fc.constantFrom(...special) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }) },
);
const hostile = fc.array(character, { maxLength: 16 }).map((parts) => parts.join(''));

test('writes each text in SQL like the CSV writer', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(hostile, { minLength: 200, maxLength: 200 }), async (values) => {
      expect(await cellsOf(textCell('value'), values, 'varchar')).toEqual(
        values.map((value) => csvLine([{ kind: 'text', value }]).slice(0, -2)),
      );
    }),
    { numRuns: 20 },
  );
});

test('formats an amount in SQL like the CSV writer, including negative amounts', async () => {
  const amounts = ['-1234', '-5', '0', '7', '99999999999'];
  for (const decimal of ['point', 'comma'] as const) {
    const sql = moneyCell('value', { currency: `'USD'`, currencies: ['USD'], decimal });
    expect(await cellsOf(sql, amounts, 'bigint')).toEqual(
      amounts.map((amount) => {
        const value = (Number(amount) / 100).toFixed(2);
        return csvLine([{ kind: 'number', value }], decimal).slice(0, -2);
      }),
    );
  }
});

test.each([
  ['0', '0'],
  ['550000', '55'],
  ['1000000', '100'],
  ['5', '0.0005'],
  ['-10500', '-1.05'],
  ['123456', '12.3456'],
])('writes %s ten-thousandths of an unknown currency as %s everywhere', async (amount, digits) => {
  expect(decimalText(Number(amount), '')).toBe(digits);
  expect(written(Number(amount), '')).toBe(`${digits.replace('-', '−')} (currency not known)`);
  for (const decimal of ['point', 'comma'] as const) {
    const sql = moneyCell('value', { currency: `''`, currencies: ['USD', ''], decimal });
    const expected = csvLine([{ kind: 'number', value: digits }], decimal).slice(0, -2);
    expect(await cellsOf(sql, [amount], 'bigint')).toEqual([expected]);
  }
});
