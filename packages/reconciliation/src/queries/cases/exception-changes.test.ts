import { DuckDBConnection } from '../../platform/duckdb.ts';
import { expect, onTestFinished, test, vi } from 'vitest';
import { borrowAnalytics } from '../../analytics/analytics.fixture.ts';
import { fundingRow, insert } from '../../statuses/orders.fixture.ts';
import { exceptionSource } from './exception-changes.ts';

const facts = { id: 'store-1', head: () => Promise.resolve(0) };
const order = { orderKey: 'order:A-1', currency: 'USD' };
const exception = {
  order_key: order.orderKey,
  currency: 'USD',
  code: 'AMOUNT_MISMATCH',
  amount: 100,
  count: 1,
  since: 1,
  content_hash: 'a',
  assumed: false,
};
const status = {
  order_key: order.orderKey,
  currency: 'USD',
  funding: 'FUNDED',
  returns: 'NONE',
  headline: 'AMOUNT_MISMATCH',
  ...Object.fromEntries(
    ['expected_settle', 'expected_refund', 'funded_settle', 'funded_refund', 'discount']
      .concat('funded_chargeback', 'funded_reversal', 'net', 'awaiting', 'judged')
      .map((column) => [column, 0]),
  ),
  computed_at: 0,
  changed_at: 0,
  assumed: false,
};
const funding = fundingRow(order, {
  id: 'F1',
  status: 'RECONCILED',
  transactionType: 'Settle',
  lenderName: 'Tamberley Credit',
  transactionAmount: 10_100,
  discountAmount: 0,
  netAmount: 10_100,
  fundedAt: 1,
  updatedAt: 1,
  transactionId: 'T1',
});

async function setUp() {
  const { database } = await borrowAnalytics({ facts, fill: () => Promise.resolve() });
  await insert(database, 'order_exceptions', [exception]);
  await insert(database, 'order_statuses', [status]);
  await insert(database, 'fundings', [funding]);
  const source = exceptionSource(database.passes, () => Promise.resolve('complete'));
  return { database, source };
}

test('reports an incomplete status for an order that lost a line after it was listed', async () => {
  const { database, source } = await setUp();
  for await (const keys of source.changedOrders()) {
    expect(keys).toEqual([order.orderKey]);
    expect(await source.judged(keys)).toMatchObject([{ isWhole: true }]);
    await database.write((connection) =>
      connection.run(`update fundings set problem = 'precision'`),
    );
    expect(await source.judged(keys)).toMatchObject([{ isWhole: false }]);
  }
});

test('reports a complete status for an order that was judged completely after it was listed', async () => {
  const { database, source } = await setUp();
  await database.write((connection) => connection.run('delete from order_statuses'));
  for await (const keys of source.changedOrders()) {
    expect(await source.judged(keys)).toMatchObject([{ isWhole: false }]);
    await insert(database, 'order_statuses', [status]);
    expect(await source.judged(keys)).toMatchObject([{ isWhole: true }]);
  }
});

test('queries once for all orders of a page while nothing is written', async () => {
  const { database } = await setUp();
  const asked = vi.spyOn(DuckDBConnection.prototype, 'prepare');
  onTestFinished(() => asked.mockRestore());
  const source = exceptionSource(database.passes, () => Promise.resolve('complete'));
  const asksForPartial = () =>
    asked.mock.calls.filter(([sql]) => sql.includes('problem is not null')).length;
  for await (const keys of source.changedOrders()) {
    const before = asksForPartial();
    await source.judged(keys);
    expect(asksForPartial()).toBe(before);
    await database.write((connection) => connection.run('delete from paid_lines'));
    await source.judged(keys);
    expect(asksForPartial()).toBe(before + 1);
  }
});
