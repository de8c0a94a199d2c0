import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MAX_MINOR_UNITS, toWireAmount } from '../money/money.ts';
import { recordsJson, type RecordRow } from './record.ts';

const row: RecordRow = {
  seq: 1,
  verdict: 'reconciled',
  funded_at: Date.parse('2026-03-07T00:00:00Z'),
  updated_at: Date.parse('2026-03-08T10:11:12.013Z'),
  transaction_date: null,
  transaction_type: 'Settle',
  amount: 101_511,
  discount: 2944,
  net: null,
  currency: 'USD',
  lender: ',"lenderName":"Halden & Wren"',
  ids: ',"merchantOrderId":"A \\"1\\""',
  report: ',"productType":null',
  person: '',
};

function parse(rows: RecordRow[], vocabulary: 'report' | 'records' = 'report') {
  const body = JSON.parse(recordsJson(rows, vocabulary)) as { records: unknown[] };
  return body.records;
}

it('is JSON of every documented field', () => {
  expect(parse([row, { ...row, net: -1 }])).toMatchObject([
    {
      status: 'RECONCILED',
      fundedAt: '2026-03-07T00:00:00.000Z',
      updatedAt: '2026-03-08T10:11:12.013Z',
      transactionDate: null,
      netAmount: 985.67,
      merchantOrderId: 'A "1"',
      productType: null,
    },
    { netAmount: -0.01 },
  ]);
  expect(parse([row], 'records')[0]).not.toHaveProperty('productType');
  expect(parse([])).toEqual([]);
});

it('writes each amount exactly, whatever the decimals of its currency', () => {
  const amount = fc.integer({ min: -MAX_MINOR_UNITS, max: MAX_MINOR_UNITS });
  fc.assert(
    fc.property(amount, fc.constantFrom('USD', 'JPY', 'KWD', 'CLF'), (amount, currency) => {
      const text = recordsJson([{ ...row, amount, currency }], 'report');
      const written = /"transactionAmount":([^,]+)/.exec(text)?.[1];
      expect(written).toBe(JSON.stringify(toWireAmount(amount, currency)));
    }),
    { numRuns: 2000 },
  );
});
