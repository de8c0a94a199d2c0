import type { Policy } from '@financing-checkout/reconciliation-rules';
import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '../analytics/session.ts';
import { isJudgingDue, judge, type JudgeOptions } from './judge.ts';
import { judgeBatch } from './judge-batch.ts';
import {
  addOrders,
  book,
  type BookedOrder,
  DAY_MS,
  fundingRow,
  insert,
  mark,
  NOW,
  openDatabase,
  rowsOf,
  rulesHere,
} from './orders.fixture.ts';
import { defaultPolicy } from './policy.ts';
import { RulesThread } from './rules-thread.ts';

function first<T>([one]: readonly T[]): T {
  if (one === undefined) throw new Error('There is none.');
  return one;
}

const options: JudgeOptions = { policy: defaultPolicy, now: NOW, complete: true, rules: rulesHere };

/** An order of 100.00, settled ten days ago and funded a day later. */
function order(name: string, funded: number | undefined = 10_000): BookedOrder {
  const settledAt = NOW - 10 * DAY_MS;
  return {
    orderKey: `order:${name}`,
    currency: 'USD',
    ledger: [
      {
        id: `L-${name}`,
        type: 'Settle',
        amount: 10_000,
        occurredAt: settledAt,
        transactionId: `t-${name}`,
      },
    ],
    fundings:
      funded === 0
        ? []
        : [
            {
              id: `F-${name}`,
              status: 'RECONCILED',
              transactionType: 'Settle',
              transactionAmount: funded,
              discountAmount: 290,
              netAmount: funded - 290,
              fundedAt: settledAt + DAY_MS,
              updatedAt: settledAt + DAY_MS,
              lenderName: 'Quillmoor',
              transactionId: `t-${name}`,
            },
          ],
  };
}

async function headlines(database: Database): Promise<Record<string, unknown>> {
  const rows = await rowsOf(
    database,
    'select order_key, headline from order_statuses order by all',
  );
  return Object.fromEntries(rows.map((row) => [String(row.order_key), row.headline]));
}

test('judges only marked orders', async () => {
  const database = await openDatabase();
  await book(database, [order('A'), order('B', 0)]);
  expect(await judge(database, options)).toMatchObject({
    all: true,
    judged: 2,
    byRules: 1,
    changed: 2,
  });
  await addOrders(database, [order('C'), order('D')]);
  await mark(database, ['order:C']);
  expect(await judge(database, options)).toMatchObject({ all: false, judged: 1, changed: 1 });
  expect(await headlines(database)).toEqual({
    'order:A': 'FUNDED',
    'order:B': 'MISSING_AT_LENDER',
    'order:C': 'FUNDED',
  });
});

test('judges an order again when it becomes due', async () => {
  const database = await openDatabase();
  const early = { ...options, now: NOW - 9 * DAY_MS };
  await book(database, [order('A', 0)]);
  await judge(database, early);
  expect(await headlines(database)).toEqual({ 'order:A': 'AWAITING_FUNDING' });
  expect(await isJudgingDue(database, early)).toBe(false);
  expect(await isJudgingDue(database, options)).toBe(true);
  expect(await judge(database, options)).toMatchObject({ all: false, judged: 1, changed: 1 });
  expect(await headlines(database)).toEqual({ 'order:A': 'MISSING_AT_LENDER' });
});

test('judges all orders after a change of the policy', async () => {
  const database = await openDatabase();
  await book(database, [order('A'), order('B', 0)]);
  await judge(database, options);
  expect(await isJudgingDue(database, options)).toBe(false);
  const policy = { ...defaultPolicy, tolerance: { minorUnits: 5, basisPoints: 0 } };
  const changed = { ...options, policy };
  expect(await isJudgingDue(database, changed)).toBe(true);
  expect(await judge(database, changed)).toMatchObject({ all: true, judged: 2 });
  expect(await isJudgingDue(database, changed)).toBe(false);
});

test('judges all orders but the plainly paid ones after the completeness of the data changes', async () => {
  const database = await openDatabase();
  await book(database, [order('A'), order('B', 0), order('C', 9_000)]);
  for (const complete of [false, true]) {
    await judge(database, { ...options, complete: !complete });
    const changed = { ...options, complete };
    expect(await isJudgingDue(database, changed)).toBe(true);
    expect(await judge(database, changed)).toMatchObject({ all: false, judged: 2 });
    expect(await headlines(database)).toMatchObject({
      'order:B': complete ? 'MISSING_AT_LENDER' : 'AWAITING_FUNDING',
    });
    expect(await isJudgingDue(database, changed)).toBe(false);
    // Simulates that all orders have been judged.
    expect(await judge(database, { ...changed, all: true })).toMatchObject({ unexplained: 0 });
  }
});

test('updates the time of a status only when its headline changes', async () => {
  const database = await openDatabase();
  await book(database, [order('A'), order('B')]);
  await judge(database, options);
  await book(database, [
    order('A', 9_000),
    {
      ...order('B'),
      fundings: [{ ...first(order('B').fundings), discountAmount: 300, netAmount: 9_700 }],
    },
  ]);
  await mark(database, ['order:A', 'order:B']);
  expect(await judge(database, { ...options, now: NOW + 7 })).toMatchObject({
    judged: 2,
    changed: 1,
  });
  expect(
    await rowsOf(
      database,
      'select order_key, changed_at, computed_at, discount from order_statuses order by all',
    ),
  ).toEqual([
    { order_key: 'order:A', changed_at: NOW + 7, computed_at: NOW + 7, discount: 290 },
    { order_key: 'order:B', changed_at: NOW, computed_at: NOW + 7, discount: 300 },
  ]);
});

test('removes the status of an order without lines', async () => {
  const database = await openDatabase();
  await book(database, [order('A'), order('B', 0)]);
  await judge(database, options);
  await book(database, []);
  await mark(database, ['order:A', 'order:B']);
  await judge(database, options);
  for (const table of [
    'order_statuses',
    'order_exceptions',
    'cash_flows',
    'claims',
    'paid_lines',
  ]) {
    expect(await rowsOf(database, `from ${table}`)).toEqual([]);
  }
});

test('keeps a mark that is set while the rules are running', async () => {
  const database = await openDatabase();
  await book(database, [order('A', 0)]);
  await mark(database, ['order:A']);
  const rules = {
    ...rulesHere,
    async judge(...given: Parameters<typeof rulesHere.judge>) {
      // Uses a connection other than the writer’s.
      await database.read((connection) =>
        connection.run(`insert into dirty_orders values ('order:A')`),
      );
      return judgeBatch(...given);
    },
  };
  await judge(database, { ...options, rules });
  expect(await rowsOf(database, 'from dirty_orders')).toEqual([{ order_key: 'order:A' }]);
});

test('changes nothing when the rules fail', async () => {
  const database = await openDatabase();
  await book(database, [order('A', 0), order('B')]);
  await judge(database, options);
  await mark(database, ['order:A', 'order:B']);
  const rules = { ...rulesHere, judge: () => Promise.reject(new Error('The thread has ended.')) };
  await expect(judge(database, { ...options, rules })).rejects.toThrow('The thread has ended.');
  expect(await headlines(database)).toEqual({
    'order:A': 'MISSING_AT_LENDER',
    'order:B': 'FUNDED',
  });
  expect(await rowsOf(database, 'from dirty_orders order by all')).toHaveLength(2);
});

test('assigns no status to an order with too many lines or inexact totals', async () => {
  const database = await openDatabase();
  const huge = order('huge');
  const max = Number.MAX_SAFE_INTEGER;
  await book(database, [
    order('A'),
    {
      ...huge,
      ledger: [0, 1].map((index) => ({
        ...first(huge.ledger),
        id: `L${index}`,
        amount: max,
        transactionId: `t${index}`,
      })),
    },
  ]);
  await database.write((connection) =>
    connection.run(`insert into ledger_lines
      select 'order:long', hash_of_key('order:long'), 'USD', 'L' || i, 'long', 'Settle', 1, 0, null, null, null, null, 'import', false
      from range(50001) t(i)`),
  );
  expect(await judge(database, options)).toMatchObject({ judged: 3, failed: 2 });
  expect(await headlines(database)).toEqual({ 'order:A': 'FUNDED' });
});

test('reports nothing as missing for an order with a record in quarantine', async () => {
  const database = await openDatabase();
  await book(database, [order('A', 0), order('C', 0)]);
  const lost = first(order('lost').fundings);
  await insert(database, 'fundings', [
    { ...fundingRow(order('A'), lost), problem: 'netAmount: amount-invalid' },
  ]);
  await judge(database, options);
  expect(await headlines(database)).toEqual({
    'order:A': 'AWAITING_FUNDING',
    'order:C': 'MISSING_AT_LENDER',
  });
});

test('judges both currencies of an order with a funding of unknown currency', async () => {
  const database = await openDatabase();
  const inYen = { ...order('A', 0), currency: 'JPY' };
  inYen.ledger = [{ ...first(inYen.ledger), id: 'L-yen', amount: 700 }];
  await book(database, [order('A', 0), inYen]);
  const statuses = () =>
    rowsOf(
      database,
      `select s.currency, s.headline, awaiting::integer as awaiting, e.amount::integer as amount, e.count
      from order_statuses s left join order_exceptions e using (order_key, currency) order by 1`,
    );
  // The funding has the amount of no line and may pay several, so late lines are still missing.
  const lost = { ...first(order('lost').fundings), transactionAmount: 3_000_000 };
  await insert(database, 'fundings', [{ ...fundingRow(order('A'), lost), currency: '' }]);
  await judge(database, { ...options, sizes: { batchLines: 1 } });
  const unknown = { currency: '', headline: 'CURRENCY_UNKNOWN', awaiting: 0, count: 1 };
  const missing = { headline: 'MISSING_AT_LENDER', awaiting: 0, count: 1 };
  expect(await statuses()).toEqual([
    { ...unknown, amount: 3_000_000 },
    { ...missing, currency: 'JPY', amount: 700 },
    { ...missing, currency: 'USD', amount: 10_000 },
  ]);
  // A funding with exactly a line’s amount may pay that line, so the line is not missing.
  await insert(database, 'fundings', [
    {
      ...fundingRow(order('A'), { ...lost, id: 'F-2', transactionAmount: 7_000_000 }),
      currency: '',
    },
  ]);
  await mark(database, ['order:A']);
  await judge(database, options);
  expect(await statuses()).toEqual([
    { ...unknown, amount: 10_000_000, count: 2 },
    { currency: 'JPY', headline: 'AWAITING_FUNDING', awaiting: 700, amount: null, count: null },
    { ...missing, currency: 'USD', amount: 10_000 },
  ]);
  expect(await judge(database, { ...options, all: true })).toMatchObject({ unexplained: 0 });
});

test('counts unexplained status changes once a day', async () => {
  const database = await openDatabase();
  await book(database, [order('A'), order('B', 0)]);
  await judge(database, options);
  expect(await judge(database, { ...options, all: true })).toMatchObject({ unexplained: 0 });
  await database.write((connection) =>
    connection.run(`update order_statuses set net = 1 where order_key = 'order:A'`),
  );
  await addOrders(database, [order('C')]);
  expect(await judge(database, { ...options, all: true })).toMatchObject({ unexplained: 2 });
  await addOrders(database, [order('D')]);
  await mark(database, ['order:D']);
  expect(await judge(database, { ...options, all: true })).toMatchObject({ unexplained: 0 });
});

test('postpones a pass over all orders during a sync, and judges any number of marked ones', async () => {
  const database = await openDatabase();
  await book(database, [order('A')]);
  const reading = { ...options, defersAll: true };
  expect(await judge(database, reading)).toMatchObject({ deferred: true, judged: 0 });
  expect(await headlines(database)).toEqual({});
  expect(await isJudgingDue(database, options)).toBe(true);
  expect(await judge(database, options)).toMatchObject({ deferred: false, all: true, judged: 1 });
  await addOrders(database, [order('B')]);
  await mark(database, ['order:B']);
  expect(await judge(database, reading)).toMatchObject({ deferred: false, all: false, judged: 1 });
  expect(await headlines(database)).toEqual({ 'order:A': 'FUNDED', 'order:B': 'FUNDED' });
  const many = Array.from({ length: 1_500 }, (_, at) => order(`M${at}`));
  await addOrders(database, many);
  await mark(
    database,
    many.map(({ orderKey }) => orderKey),
  );
  expect(await judge(database, reading)).toMatchObject({ all: false, judged: 1_500 });
});

test('changes the content hash of an exception with its lines, not with missing data', async () => {
  const database = await openDatabase();
  const hashOf = async () => {
    const [row] = await rowsOf(database, 'select content_hash from order_exceptions');
    return row?.content_hash;
  };
  await book(database, [order('A', 11_000)]);
  await judge(database, options);
  const before = await hashOf();
  expect(before).toMatch(/^[0-9a-f]{64}$/);
  await judge(database, { ...options, complete: false });
  expect(await hashOf()).toBe(before);
  await book(database, [order('A', 11_001)]);
  await judge(database, options);
  expect(await hashOf()).not.toBe(before);
});

test('produces the same results in a worker thread', async () => {
  const thread = new RulesThread();
  onTestFinished(() => thread.close());
  const policy: Policy = { ...defaultPolicy, now: NOW, complete: true };
  const orders = [['order:A'], [7], ['USD'], [null], [null], [false], [false]];
  const ledger = [['order:A'], ['USD'], ['L'], ['Settle'], [500], [0], ['t'], [null], [null]];
  const fundings = Array.from({ length: 16 }, () => []);
  const batch = { orders, ledger, fundings, unplaced: [] };
  const judged = await thread.judge(batch, { policy, judged: 1 });
  expect(judged).toEqual(judgeBatch(batch, { policy, judged: 1 }));
  expect(judged.rows.statuses[1]).toEqual([7]);
  expect(judged.rows.statuses[5]).toEqual(['MISSING_AT_LENDER']);
});
