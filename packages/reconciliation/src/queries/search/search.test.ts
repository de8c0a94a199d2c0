import { systemClock } from '@financing-checkout/kit';
import { expect, test } from 'vitest';
import { patienceMs } from '../../../../../vitest.shared.ts';
import { insert, openDatabase } from '../../statuses/orders.fixture.ts';
import { defaultPolicy } from '../../statuses/policy.ts';
import { search, type SearchOptions } from './search.ts';

const line = (order: string, occurredAt: number) => ({
  order_key: order,
  currency: 'USD',
  id: order,
  merchant_order_id: order,
  type: 'Settle',
  amount: 1,
  occurred_at: occurredAt,
  transaction_id: `Txn-${order}`,
  charge_id: `chg-${order}`,
  source: 'import',
  own: false,
});

async function searching() {
  const database = await openDatabase();
  const ledger = Array.from({ length: 120 }, (_, index) => line(`order:B${index}`, index * 1_000));
  await insert(database, 'ledger_lines', [...ledger, line('funding:r.1.Settle', 5)]);
  const authorization = { currency: 'USD', merchant_transaction_id: 'auth', authorized_at: 5 };
  await insert(database, 'authorizations', [
    { ...authorization, order_key: 'funding:r.1.Settle' },
    { ...authorization, order_key: 'order:B7' },
  ]);
  const ctx = {
    database,
    facts: { days: () => Promise.resolve([]) },
    policy: defaultPolicy,
    clock: systemClock,
  };
  const none = () => Promise.resolve([]);
  const sources = { ordersOfApplication: none, assignees: none, imports: none };
  return (q: string, options?: SearchOptions) =>
    search(ctx, q, sources, { budgetMs: patienceMs, ...options });
}

test('leaves kinds without remaining time to later searches, and searches at least one each time', async () => {
  const find = await searching();
  const first = await find('XN-ORDER:B11', { budgetMs: 0 });
  expect(first).toMatchObject({
    groups: [],
    unsearched: ['order', 'reference', 'charge', 'transaction'],
  });
  const further = await find('XN-ORDER:B11', {
    budgetMs: 0,
    fragments: ['transaction', 'charge'],
  });
  expect(further.unsearched).toEqual(['charge']);
  expect(further.groups).toMatchObject([{ kind: 'transaction', count: 11, more: false }]);
});

test('counts at most 100 matches, and lists five, the most recent first', async () => {
  const find = await searching();
  const { groups } = await find('G-ORDER', { fragments: ['charge'] });
  expect(groups).toMatchObject([{ kind: 'charge', count: 100, more: true }]);
  const values = groups[0]?.hits.map(({ value }) => value);
  expect(values).toEqual([119, 118, 117, 116, 115].map((index) => `chg-order:B${index}`));
});

test('finds a funding without an order by its key', async () => {
  const find = await searching();
  const { groups } = await find('funding:r.1.Settle');
  expect(groups[0]).toMatchObject({
    kind: 'order',
    hits: [{ value: 'funding:r.1.Settle', orderKey: 'funding:r.1.Settle', exact: true }],
  });
});
