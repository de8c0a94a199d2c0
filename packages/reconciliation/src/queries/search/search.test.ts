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

const status = (order: string, more: object = {}) => ({
  order_key: `order:${order}`,
  currency: 'USD',
  funding: 'PARTIAL',
  returns: 'NONE',
  headline: 'PARTIALLY_FUNDED',
  expected_settle: 1,
  expected_refund: 0,
  funded_settle: 0,
  funded_refund: 0,
  funded_chargeback: 0,
  funded_reversal: 0,
  discount: 0,
  net: 0,
  awaiting: 0,
  judged: 1,
  computed_at: 5,
  changed_at: 5,
  assumed: false,
  ...more,
});

/** @param orders further orders, as rows of order_statuses */
async function searching(orders: readonly ReturnType<typeof status>[] = []) {
  const database = await openDatabase();
  const ledger = Array.from({ length: 120 }, (_, index) => line(`order:B${index}`, index * 1_000));
  await insert(database, 'ledger_lines', [...ledger, line('funding:r.1.Settle', 5)]);
  await insert(database, 'order_statuses', orders);
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
  const find = (q: string, options?: SearchOptions) =>
    search(ctx, q, sources, { budgetMs: patienceMs, ...options });
  return Object.assign(find, { database });
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

test.each(['\u2010', '\u2011', '\u2013', '\u2212'])(
  'finds the ID of an order whose hyphen is written as %s, and with a number sign',
  async (hyphen) => {
    const find = await searching([status('N-1003'), status('N-10031')]);
    for (const written of [`N${hyphen}1003`, `#N${hyphen}1003`, '#N-1003', '# N-1003']) {
      const { groups, matches } = await find(written);
      expect(groups[0]).toMatchObject({
        kind: 'order',
        count: 2,
        hits: [
          { value: 'N-1003', exact: true },
          { value: 'N-10031', exact: false },
        ],
      });
      expect(matches[0]).toMatchObject({ kind: 'order', value: 'N-1003' });
    }
    expect((await find(`n${hyphen}100`)).groups[0]?.hits).toHaveLength(2);
  },
);

test('finds an ID that has another hyphen or a number sign itself', async () => {
  const find = await searching(['#1003', 'N\u20131004', '1003'].map((id) => status(id)));
  const exact = async (written: string) =>
    (await find(written)).groups[0]?.hits.filter((hit) => hit.exact).map(({ value }) => value);
  expect(await exact('#1003')).toEqual(['#1003', '1003']);
  expect(await exact('1003')).toEqual(['1003']);
  expect(await exact('N\u20131004')).toEqual(['N\u20131004']);
  expect((await find('\u20131004')).groups[0]?.hits).toMatchObject([{ value: 'N\u20131004' }]);
});

test('finds an order by the amount of each of its lines, and by their sums', async () => {
  const sums = { expected_settle: 6_912, expected_refund: 345, funded_settle: 1_230, net: 1_199 };
  const find = await searching([status('N-1', sums), status('N-2')]);
  const { database } = find;
  const lines = { Settle1: 1_234, Settle2: 5_678, Refund3: 345 };
  await insert(
    database,
    'ledger_lines',
    Object.entries(lines).map(([id, amount]) => {
      return { ...line('order:N-1', 5), id, type: id.slice(0, -1), amount };
    }),
  );
  const posting = { day: '2026-03-01', order_key: 'order:N-1', currency: 'USD', assumed: false };
  const hash = '00000000-0000-0000-0000-000000000000';
  await insert(database, 'fundings', [
    {
      ...posting,
      id: 'f1',
      identity: 'f1',
      hash,
      since: 1,
      transaction_amount: 1_000,
      net_amount: 975,
    },
    {
      ...posting,
      id: 'f2',
      identity: 'f2',
      hash,
      since: 1,
      transaction_amount: 230,
      net_amount: 224,
    },
  ]);
  const found = async (written: string) =>
    (await find(written)).groups
      .filter(({ kind }) => kind === 'amount')
      .flatMap(({ hits }) =>
        hits.map(({ amount, merchantOrderId, of }) => [merchantOrderId, of, amount]),
      );
  expect(await found('$12.34')).toEqual([['N-1', 'settle', 1_234]]);
  expect(await found('56.78')).toEqual([['N-1', 'settle', 5_678]]);
  expect(await found('69.12')).toEqual([['N-1', 'settle', 6_912]]);
  expect(await found('3.45')).toEqual([['N-1', 'refund', 345]]);
  expect(await found('12.30')).toEqual([['N-1', 'funded', 1_230]]);
  expect(await found('11.99')).toEqual([['N-1', 'net', 1_199]]);
  expect(await found('10.00')).toEqual([['N-1', 'posted', 1_000]]);
  expect(await found('2.24')).toEqual([['N-1', 'net', 224]]);
  expect(await found('65.67')).toEqual([['N-1', 'expected', 6_567]]);
});

test('finds a funding without an order by its key', async () => {
  const find = await searching();
  const { groups } = await find('funding:r.1.Settle');
  expect(groups[0]).toMatchObject({
    kind: 'order',
    hits: [{ value: 'funding:r.1.Settle', orderKey: 'funding:r.1.Settle', exact: true }],
  });
});
