import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MAX_MINOR_UNITS, toWireAmount } from '../platform/money.ts';
import { recordColumns, recordsJson, type RecordRow } from './record.ts';
import type { Vocabulary } from './verdict.ts';

/** A funding in the store. */
const stored = {
  seq: 1,
  funded_at: Date.parse('2026-03-07T00:00:00Z'),
  updated_at: Date.parse('2026-03-08T10:11:12.013Z'),
  transaction_date: null as number | null,
  verdict: 'reconciled',
  currency: 'USD',
  amount: 101_511,
  discount: 2944,
  net: null as number | null,
  lender_name: 'Halden & "Wren"',
  transaction_type: 'Settle',
  transaction_id: null as string | null,
  merchant_order_id: 'A "1"\n',
  charge_id: '',
  product_type: null as string | null,
  promo_code: '12M',
  lender_reference_id: 'L1',
  merchant_transaction_id: 'T1',
  first_name: null as string | null,
  last_name: 'Ünal',
  email: null as string | null,
};

/** Reads the columns of {@link recordColumns}. */
function read(row: typeof stored, vocabulary: Vocabulary): RecordRow {
  const database = new DatabaseSync(':memory:');
  const columns = Object.keys(row).map((name) => `? AS ${name}`);
  const statement = database.prepare(
    `SELECT ${recordColumns(vocabulary)} FROM (SELECT ${columns.join(', ')})`,
  );
  statement.setReturnArrays(true);
  const found: unknown = statement.get(...Object.values(row));
  database.close();
  return found as RecordRow;
}

function parse(rows: (typeof stored)[], vocabulary: Vocabulary): unknown[] {
  const text = recordsJson(
    rows.map((row) => read(row, vocabulary)),
    vocabulary,
  );
  return (JSON.parse(text) as { records: unknown[] }).records;
}

it('writes JSON of every documented field with a value', () => {
  const records = {
    status: 'RECONCILED',
    fundedAt: '2026-03-07T00:00:00.000Z',
    updatedAt: '2026-03-08T10:11:12.013Z',
    lenderName: 'Halden & "Wren"',
    transactionType: 'Settle',
    transactionAmount: 1015.11,
    discountAmount: 29.44,
    netAmount: 985.67,
    transactionDate: null,
    merchantOrderId: 'A "1"\n',
    lastName: 'Ünal',
  };
  const report = {
    ...records,
    productType: null,
    promoCode: '12M',
    lenderReferenceId: 'L1',
    merchantTransactionId: 'T1',
  };
  expect(parse([stored], 'records')).toEqual([records]);
  const other = { ...stored, net: -1, transaction_date: stored.funded_at, currency: 'JPY' };
  expect(parse([stored, other], 'report')).toEqual([
    report,
    {
      ...report,
      transactionAmount: 101_511,
      discountAmount: 2944,
      netAmount: -1,
      transactionDate: '2026-03-07T00:00:00.000Z',
    },
  ]);
  expect(parse([], 'report')).toEqual([]);
});

it('writes each amount exactly for any number of decimal places', () => {
  const amount = fc.integer({ min: -MAX_MINOR_UNITS, max: MAX_MINOR_UNITS });
  const row = read(stored, 'report');
  fc.assert(
    fc.property(amount, fc.constantFrom('USD', 'JPY', 'KWD', 'CLF'), (amount, currency) => {
      const text = recordsJson([row.with(6, amount).with(5, currency) as RecordRow], 'report');
      const written = /"transactionAmount":([^,]+)/.exec(text)?.[1];
      expect(written).toBe(JSON.stringify(toWireAmount(amount, currency)));
    }),
    { numRuns: 2000 },
  );
});
