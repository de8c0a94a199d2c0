import { expect, test } from 'vitest';
import { type LedgerImportOptions, readingOf } from './options.ts';
import { readLine } from './read-line.ts';

function read(change: Record<string, unknown>, options: LedgerImportOptions = {}) {
  const record = {
    merchantOrderId: 'A-1',
    type: 'settle',
    amount: '5',
    currency: 'EUR',
    date: '2026-01-01',
    ...change,
  };
  return readLine(record, readingOf({ units: 'major', ...options }, Date.UTC(2026, 2, 31)));
}

const problem = (field: string, code: string, message: RegExp) => ({
  problems: [{ field, code, message: expect.stringMatching(message) as string }],
});

test.each([
  ['1.500', 'EUR'],
  ['1.234', 'EUR'],
  ['-10.000', 'EUR'],
  ['1.000', 'JPY'],
])(
  'does not guess whether a point before three digits separates thousands: %s %s',
  (amount, currency) => {
    expect(read({ amount, currency, type: 'refund' })).toEqual(
      problem('amount', 'amount-too-precise', /more decimals than .*thousands.* set `decimal`/),
    );
    for (const [decimal, factor] of [
      ['point', 1],
      ['comma', 1000],
    ] as const) {
      const whole = Math.abs(Number(amount) * factor * (currency === 'EUR' ? 100 : 1));
      const expected = Number.isInteger(whole)
        ? { lines: [{ amount: whole }] }
        : { problems: [{}] };
      expect(read({ amount, currency, type: 'refund' }, { decimal })).toMatchObject(expected);
    }
  },
);

test.each([
  ['0.500', 'EUR', 50],
  ['1500.000', 'EUR', 150_000],
  ['1.5000', 'EUR', 150],
  ['1.500', 'KWD', 1_500],
  [1.5, 'EUR', 150],
])('%s %s is unambiguous', (amount, currency, value) => {
  expect(read({ amount, currency })).toMatchObject({ lines: [{ amount: value }] });
});

test.each([
  ['5', 'Settle'],
  ['-5', 'Refund'],
])('uses the sign for a type word with both meanings: %s', (amount, type) => {
  const types = { sign: ['Invoice'], settle: ['Sale'], skip: ['Payment'] };
  expect(read({ type: 'INVOICE', amount }, { types })).toMatchObject({
    lines: [{ type, amount: 500 }],
  });
  expect(read({ type: 'Invoice', amount: 'x' }, { types })).toMatchObject({
    problems: [{ field: 'amount' }],
  });
  expect(read({ type: 'sign', amount })).toMatchObject({ problems: [{ field: 'type' }] });
});

test('rejects an amount that a spreadsheet rounded', () => {
  const rounded = problem('amount', 'amount-invalid', /decimal number/);
  expect(read({ amount: '1.23E+05' })).toEqual(rounded);
  expect(read({ amount: '1E+05' })).toEqual(rounded);
});

test.each([
  ['1.500', 150],
  ['1E+05', 10_000_000],
])('withdraws a line that was once imported as %s from the same file', (amount, value) => {
  expect(read({ amount }, { withdraw: true })).toMatchObject({ lines: [{ amount: value }] });
});

test.each([
  [{}, '12,50', /write 1234\.50,.* decimal/],
  [{ decimal: 'point' }, '12,50', /write 1234\.50(?!.*set `decimal`)/],
  [{ decimal: 'comma' }, '12.50', /write 1234,50(?!.*set `decimal`)/],
] as const)(
  'with %o answers the amount %s with a readable example',
  (notation, amount, message) => {
    expect(read({ amount }, notation)).toEqual(problem('amount', 'amount-invalid', message));
  },
);

test.each([
  [{}, '31.12.25', /dmy.*mdy/],
  [{ dates: 'dmy' }, '12/31/25', /write 31\.01\.2026/],
  [{ dates: 'mdy' }, '31.12.25', /write 01\/31\/2026/],
] as const)('with %o, rejects the date %s with a readable example', (notation, date, message) => {
  expect(read({ date }, notation)).toEqual(problem('date', 'date-invalid', message));
});

test.each([
  ['HRK', '2022-12-31'],
  ['BGN', '2025-12-31'],
])('accepts lines in %s, a currency that was withdrawn later, until %s', (currency, date) => {
  expect(read({ currency, date })).toMatchObject({ lines: [{ currency, amount: 500 }] });
});

test('refuses a currency that was withdrawn before the line', () => {
  expect(read({ currency: 'HRK', date: '2023-02-01' })).toEqual(
    problem('currency', 'currency-unknown', /^was withdrawn after 2022-12-31/),
  );
});
