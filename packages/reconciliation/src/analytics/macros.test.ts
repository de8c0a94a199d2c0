import {
  currencies as table,
  fromMajorUnits,
  MoneyError,
} from '@financing-checkout/contract/money';
import { type DuckDBConnection, DuckDBInstance, listValue } from '../platform/duckdb.ts';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { macros } from './macros.ts';

let connection: DuckDBConnection;

beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(macros);
});

/** Returns the minor units or the error code of each amount in a currency. */
async function minorUnits(
  pairs: readonly (readonly [amount: string | null, currency: string])[],
): Promise<(number | string)[]> {
  const found = await connection.runAndReadAll(
    `select units.value, units.problem from (
       select minor_units(amount, currency) as units
       from (select unnest($1::varchar[]) as amount, unnest($2::varchar[]) as currency)
     )`,
    [listValue(pairs.map(([amount]) => amount)), listValue(pairs.map(([, currency]) => currency))],
  );
  return found
    .getRows()
    .map(([value, problem]) => (problem === null ? Number(value) : String(problem)));
}

function byContract(amount: string, currency: string): number | string {
  try {
    return fromMajorUnits(amount, currency === '' ? 'CLF' : currency).value;
  } catch (error) {
    if (error instanceof MoneyError) return error.code;
    throw error;
  }
}

const currencies = fc.constantFrom(...table.keys(), '', 'XXX', 'usd', 'US');
const digits = (maxLength: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${maxLength}}$`));
const decimals = fc
  .tuple(
    fc.constantFrom('', '-', '+'),
    fc.oneof(digits(4), digits(16), digits(32)),
    fc.option(fc.oneof(digits(2), digits(6), digits(32))),
    fc.option(
      fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), digits(4)).map((part) => part.join('')),
    ),
  )
  .map(
    ([sign, whole, fraction, exponent]) =>
      `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${exponent ?? ''}`,
  );
const amounts = fc.oneof(
  decimals,
  fc
    .integer({ min: -99_999_999_999_999, max: 99_999_999_999_999 })
    .map((value) => String(value / 100)),
  fc.double({ noNaN: true }).map(String),
  fc.integer({ min: 0, max: 100_000_000 }).map((value) => String(value * 0.01)),
  fc.string(),
);

test('property: parses or rejects each text like the contract, to the minor unit', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(amounts, currencies), { minLength: 1_000, maxLength: 1_000 }),
      async (pairs) => {
        const expected = pairs.map(([amount, currency]) => byContract(amount, currency));
        expect(await minorUnits(pairs)).toEqual(expected);
      },
    ),
    { numRuns: 10 },
  );
});

test.each([
  ['12.50', 'HUF', 1_250],
  // Withdrawn after 2022, but fundings of earlier years are still read.
  ['12.50', 'HRK', 1_250],
  ['604.89', 'USD', 60_489],
  ['12.340001', 'USD', 'amount-too-precise'],
  ['1e2', 'USD', 10_000],
  ['12.50', 'JPY', 'amount-too-precise'],
  ['12.00', 'JPY', 12],
  ['1.234', 'KWD', 1_234],
  ['-0.00', 'USD', 0],
  ['9007199254740993', 'USD', 'amount-too-large'],
  ['99999999999999', 'JPY', 99_999_999_999_999],
  ['100000000000000', 'JPY', 'amount-too-large'],
  ['12.3400000000000000001', 'USD', 'amount-too-precise'],
  ['12.34000000000000000000', 'USD', 1_234],
  ['true', 'USD', 'amount-invalid'],
  ['12,50', 'USD', 'amount-invalid'],
  ['1.5', 'XXX', 'currency-unknown'],
  [null, 'USD', 'amount-invalid'],
])('reads %s of %s as %s', async (amount, currency, expected) => {
  expect(await minorUnits([[amount, currency]])).toEqual([expected]);
});
