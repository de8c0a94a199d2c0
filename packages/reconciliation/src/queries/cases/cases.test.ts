import { caseSortDirections, caseSortNames } from '@financing-checkout/contract/reconciliation';
import { expect, test } from 'vitest';
import { borrowAnalytics } from '../../analytics/analytics.fixture.ts';
import { mirrorCases } from '../../analytics/case-mirror.ts';
import type { CaseFact } from '../../facts/case-facts.ts';
import { DAY_MS, insert, NOW } from '../../statuses/orders.fixture.ts';
import { type Place, placeFrom } from '../basis/keyset.ts';
import { caseOrder } from './case-order.ts';
import { defaultPolicy } from '../../statuses/policy.ts';
import {
  type CaseFilter,
  caseRows,
  casesPage,
  caseTerms,
  countsOfCases,
  summaryOfCases,
} from './cases.ts';
import { similarCases } from './similar-cases.ts';

const rows: (Pick<CaseFact, 'id' | 'currency' | 'amount' | 'code'> &
  Partial<Pick<CaseFact, 'state' | 'assignee'>> & { days: number; openDays?: number })[] = [
  {
    id: 'case_1',
    currency: 'USD',
    amount: -482_354,
    days: 2,
    openDays: 7,
    code: 'AMOUNT_MISMATCH',
  },
  { id: 'case_2', currency: 'USD', amount: 2, days: 30, code: 'DUPLICATE_FUNDING', assignee: 'Bo' },
  { id: 'case_3', currency: 'JPY', amount: 9_000, days: 1, code: 'NET_MISMATCH', assignee: 'Ada' },
  {
    id: 'case_4',
    currency: 'KWD',
    amount: -9_000_000,
    days: 3,
    openDays: 14,
    code: 'NET_MISMATCH',
  },
  { id: 'case_5', currency: '', amount: 99_999_999_999, days: 9, code: 'AMOUNT_MISMATCH' },
  { id: 'case_6', currency: 'USD', amount: 2, days: 40, code: 'NET_MISMATCH', assignee: 'Ada' },
  { id: 'case_7', currency: '', amount: 5, days: 60, code: 'NET_MISMATCH', state: 'ignored' },
  { id: 'case_8', currency: 'USD', amount: 2, days: 40, code: 'NET_MISMATCH', state: 'resolved' },
];

const orderKeyOfCase = (id: string) => `order:${id.replace('case', 'A')}`;

async function open() {
  const { database } = await borrowAnalytics({
    facts: { id: 'store-1', head: () => Promise.resolve(0) },
    fill: () => Promise.resolve(),
  });
  const cases = rows.map(({ days, openDays = 0, ...row }) => ({
    state: 'open' as const,
    ...row,
    orderKey: orderKeyOfCase(row.id),
    since: NOW - days * DAY_MS,
    count: 1,
    number: 1,
    contentHash: 'x',
    openedAt: NOW - 90 * DAY_MS,
    openSince: NOW - openDays * DAY_MS,
    updatedAt: NOW,
    mentions: [],
  }));
  await database.write((connection) => mirrorCases(connection, cases));
  const clock = { now: () => NOW };
  const ctx = { database, clock, policy: defaultPolicy } as never;
  const sorted = (...[sort, direction]: Parameters<typeof caseOrder>) =>
    database.read(async (connection) => {
      const part = { order: caseOrder(sort, direction), limit: 100 };
      return (await caseRows(connection, {}, caseTerms(ctx), part)).map(({ id }) =>
        Number(id.slice(5)),
      );
    });
  const fund = (caseId: string, lender: string) =>
    insert(database, 'fundings', [
      {
        day: '2026-03-01',
        id: `${caseId} ${lender}`,
        identity: `${caseId} ${lender}`,
        hash: '00000000-0000-0000-0000-000000000000',
        order_key: orderKeyOfCase(caseId),
        currency: 'USD',
        assumed: false,
        lender_name: lender,
        funded_at: NOW,
        since: 1,
      },
    ]);
  const update = (change: string) =>
    database.read((connection) => connection.run(`update cases set ${change}`));
  return { ctx, database, fund, sorted, update };
}

test('sums all matching cases by currency, without a sum of an unknown currency', async () => {
  const { ctx } = await open();
  expect(await summaryOfCases(ctx, {})).toEqual({
    count: 8,
    assumedCurrency: 0,
    countedWithOthers: 0,
    amounts: [
      { currency: 'USD', count: 4, amount: 482_360 },
      { currency: '', count: 2, amount: null },
      { currency: 'JPY', count: 1, amount: 9_000 },
      { currency: 'KWD', count: 1, amount: 9_000_000 },
    ],
  });
  expect(await summaryOfCases(ctx, { unassigned: true, state: 'open' })).toEqual({
    count: 3,
    assumedCurrency: 0,
    countedWithOthers: 0,
    amounts: [
      { currency: '', count: 1, amount: null },
      { currency: 'KWD', count: 1, amount: 9_000_000 },
      { currency: 'USD', count: 1, amount: 482_354 },
    ],
  });
  expect(await summaryOfCases(ctx, { assignee: 'Nobody' })).toEqual({
    count: 0,
    assumedCurrency: 0,
    countedWithOthers: 0,
    amounts: [],
  });
});

test('counts the cases of several filters like their summaries', async () => {
  const { ctx } = await open();
  const list = [
    {},
    { state: 'open', assignee: 'Ada' },
    { state: 'open', assignee: 'Bo', snoozed: false },
    { overdue: true },
    { code: 'NET_MISMATCH', days: 40 },
    { mentioned: 'Ada' },
  ] as const;
  const summaries = await Promise.all(list.map((filter) => summaryOfCases(ctx, filter)));
  const { counts } = await countsOfCases(ctx, list);
  expect(counts).toEqual(summaries.map(({ count }) => count));
  expect(counts).toEqual([8, 2, 1, 1, 3, 0]);
});

test('counts the money of merged cases once, with their main case or on their own', async () => {
  const { ctx, sorted, update } = await open();
  expect((await sorted('money')).slice(0, 3)).toEqual([4, 3, 1]);
  await update(`merged_into = 'case_2' where id in ('case_1', 'case_6')`);
  const usd = async (filter: CaseFilter) => {
    const { amounts, count } = await summaryOfCases(ctx, filter);
    return [count, amounts.find(({ currency }) => currency === 'USD')?.amount];
  };
  expect(await usd({})).toEqual([8, 482_360]);
  expect(await usd({ state: 'open', merged: false })).toEqual([4, 482_358]);
  expect(await usd({ merged: true })).toEqual([2, 482_356]);
  expect(await usd({ mergedInto: 'case_2' })).toEqual([2, 482_356]);
  expect(await usd({ assignee: 'Ada', currency: 'USD' })).toEqual([1, 2]);
  // The main case includes the money of all three.
  expect((await sorted('money')).slice(0, 3)).toEqual([4, 3, 2]);
  expect(await usd({ least: 482_358, currency: 'USD' })).toEqual([1, 482_358]);
  const part = { order: caseOrder('money'), limit: 9 };
  const { cases } = await casesPage(ctx, { assignee: 'Bo' }, part);
  expect(cases).toMatchObject([
    { id: 'case_2', together: { count: 2, assumedCurrency: 0, amount: 482_358 } },
  ]);
  // A closed case counts only on its own.
  await update(`state = 'closed' where id = 'case_1'`);
  expect(await usd({ state: 'open', merged: false })).toEqual([4, 4]);
  expect(await usd({ merged: true })).toEqual([1, 2]);
});

test('finds the open cases whose due day has ended', async () => {
  const { ctx } = await open();
  // Case 4 is due today.
  expect(await summaryOfCases(ctx, { overdue: true })).toMatchObject({ count: 1 });
  const { cases } = await casesPage(ctx, { overdue: true }, { order: caseOrder('due'), limit: 9 });
  expect(cases).toMatchObject([{ id: 'case_1', dueAt: new Date(NOW - 2 * DAY_MS).toISOString() }]);
});

test('finds the cases of orders with a funding from a lender', async () => {
  const { ctx, fund } = await open();
  await fund('case_2', 'Meadow Credit');
  await fund('case_3', 'Northway Credit');
  await fund('case_3', 'Meadow Credit');
  const idsOf = async (...lenders: string[]) => {
    const part = { order: caseOrder('opened'), limit: 9 };
    return (await casesPage(ctx, { lender: lenders }, part)).cases.map(({ id }) => id);
  };
  expect(await idsOf('Meadow Credit', 'MC')).toEqual(['case_2', 'case_3']);
  expect(await idsOf('Northway Credit')).toEqual(['case_3']);
  expect(await summaryOfCases(ctx, { lender: ['Northway'] })).toMatchObject({ count: 0 });
});

test('filters by a bucket of age and amount, whose upper bounds are exclusive', async () => {
  const { ctx, database } = await open();
  const count = async (filter: Parameters<typeof summaryOfCases>[1]) =>
    (await summaryOfCases(ctx, filter)).count;
  expect(await count({ currency: 'USD', least: 2, under: 482_354 })).toBe(3);
  expect(await count({ currency: 'USD', least: 2, under: 482_355 })).toBe(4);
  expect(await count({ days: 30, daysUnder: 40 })).toBe(1);
  expect(await count({ days: 30, daysUnder: 41 })).toBe(3);
  expect(await count({ currencyAssumed: true })).toBe(0);
  const sums = ['expected_settle', 'expected_refund', 'funded_settle', 'funded_refund']
    .concat(['funded_chargeback', 'funded_reversal', 'discount', 'net', 'awaiting'])
    .concat(['judged', 'computed_at', 'changed_at']);
  const words = { funding: 'NONE', returns: 'NONE', headline: 'FUNDED', assumed: true };
  const zeros = Object.fromEntries(sums.map((name) => [name, 0]));
  await insert(database, 'order_statuses', [
    { ...zeros, ...words, order_key: 'order:A_1', currency: 'USD' },
  ]);
  expect(await count({ currencyAssumed: true })).toBe(1);
  expect(await count({ currencyAssumed: false })).toBe(7);
});

test('finds open cases of the same code and lender, then the most recently decided ones', async () => {
  const { ctx, fund } = await open();
  const similarTo = async (id: string) => {
    const orderKey = orderKeyOfCase(id);
    const { lender, count, cases } = await similarCases(ctx, {
      id,
      orderKey,
      code: 'NET_MISMATCH',
    });
    return [lender, count, cases.map((one) => `${one.id} ${one.state}`)];
  };
  // No funding names a lender, so the most money comes first, followed by the decided cases.
  expect(await similarTo('case_3')).toEqual([
    undefined,
    4,
    ['case_4 open', 'case_6 open', 'case_7 ignored', 'case_8 resolved'],
  ]);
  for (const id of ['case_3', 'case_4', 'case_8']) await fund(id, 'Meadow Credit');
  await fund('case_6', 'Northway Credit');
  expect(await similarTo('case_3')).toEqual([
    'Meadow Credit',
    2,
    ['case_4 open', 'case_8 resolved'],
  ]);
  expect(await similarTo('case_6')).toEqual(['Northway Credit', 0, []]);
});

test('sorts cases, equal ones by age, and those without a value last', async () => {
  const { sorted } = await open();
  // 9,000 yen and 9,000 dinars are equal in major units.
  expect(await sorted('money')).toEqual([4, 3, 1, 6, 8, 2, 7, 5]);
  expect(await sorted('money', 'asc')).toEqual([6, 8, 2, 1, 4, 3, 7, 5]);
  expect(await sorted('amount')).toEqual([3, 6, 8, 2, 1, 4, 7, 5]);
  expect(await sorted('age')).toEqual([7, 6, 8, 2, 5, 4, 1, 3]);
  expect(await sorted('age', 'asc')).toEqual([3, 1, 4, 5, 2, 6, 8, 7]);
  // Five days for a wrong amount, three for a duplicate, 14 for a net amount.
  expect(await sorted('due')).toEqual([1, 4, 2, 5, 7, 6, 8, 3]);
  expect(await sorted('code')).toEqual([5, 1, 2, 7, 6, 8, 4, 3]);
  expect(await sorted('order', 'desc')).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
  expect(await sorted('assignee')).toEqual([6, 3, 2, 7, 8, 5, 4, 1]);
  expect(await sorted('state')).toEqual([6, 2, 5, 4, 1, 3, 8, 7]);
  expect(await sorted('opened')).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test.each(
  caseSortNames.flatMap((sort) =>
    caseSortDirections.map((direction) => [sort, direction] as const),
  ),
)('pages by %s, %s, without a repeat or a gap', async (sort, direction) => {
  const { ctx, sorted } = await open();
  const order = caseOrder(sort, direction);
  const paged: number[] = [];
  let after: Place | undefined;
  do {
    const { cases, next } = await casesPage(ctx, {}, { order, after, limit: 1 });
    paged.push(...cases.map(({ id }) => Number(id.slice(5))));
    after = next;
  } while (after !== undefined);
  expect(paged).toEqual(await sorted(sort, direction));
});

test('rejects a place of another order, or without a number', () => {
  const order = caseOrder('money');
  const place = ['12', '5', 'case_1'];
  const parts = [order.mark, ...place];
  expect(placeFrom(order, parts)).toEqual(place);
  expect(placeFrom(order, [order.mark, null, '5', 'case_1'])).toEqual([null, '5', 'case_1']);
  expect(placeFrom(caseOrder('money', 'asc'), parts)).toBeUndefined();
  expect(placeFrom(caseOrder('amount'), parts)).toBeUndefined();
  expect(placeFrom(order, [order.mark, 'x', '5', 'case_1'])).toBeUndefined();
  expect(placeFrom(order, [order.mark, '12', 'x', 'case_1'])).toBeUndefined();
  expect(placeFrom(order, [order.mark, '12', null, 'case_1'])).toBeUndefined();
  expect(placeFrom(order, [...parts, 'more'])).toBeUndefined();
});
