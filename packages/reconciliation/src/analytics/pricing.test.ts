import { expect, test } from 'vitest';
import { historyService, wireRecord } from '../sync/history.fixture.ts';
import { dirtyKeys, from, openDatabase, type TestDatabase, sync } from '../sync/sync.fixture.ts';
import { reprice } from './pricing.ts';

const at = `${from}T00:00:00.000Z`;
const day = { from, to: from };
const whole = (index: number, amount: number) =>
  wireRecord(index, at, { transactionAmount: amount, discountAmount: 0, netAmount: amount });

const fundings = (open: TestDatabase) =>
  open.rows(`select lender_reference_id, currency, assumed, transaction_amount::varchar, problem
    from fundings order by 1`);
const repriceAll = (open: TestDatabase, currency = 'USD', keys?: string) =>
  open.database.write((connection) => reprice(connection, currency, keys));
const settle = (open: TestDatabase, order: string, currency: string) =>
  open.write(`insert into ledger_lines by name select 'order:${order}' as order_key,
    hash_of_key(order_key) as key_hash, '${currency}' as currency,
    '${order}-${currency}' as id, '${order}' as merchant_order_id, 'Settle' as type, 1 as amount,
    1 as occurred_at, 'import' as source, false as own`);
const withdraw = (open: TestDatabase, id: string) =>
  open.write(`delete from ledger_lines where id = '${id}'`);

test('parses an amount again when the ledger adds, changes or withdraws its currency', async () => {
  const open = await openDatabase();
  await settle(open, 'A-3', 'USD');
  await settle(open, 'A-3', 'EUR');
  await sync(open, historyService([whole(1, 1000), whole(2, 1.234), whole(3, 5)]), 'sync-1', day);
  const precise = 'transactionAmount: amount-too-precise';
  expect(await fundings(open)).toEqual([
    ['LR-1', 'USD', true, '100000', null],
    ['LR-2', 'USD', true, null, precise],
    // With two currencies, the funding’s own currency is unknown.
    ['LR-3', '', false, '50000', null],
  ]);
  await open.write('delete from dirty_orders');
  await settle(open, 'A-1', 'JPY');
  await settle(open, 'A-2', 'KWD');
  expect(await repriceAll(open)).toBe(2);
  expect(await repriceAll(open)).toBe(0);
  expect(await fundings(open)).toEqual([
    ['LR-1', 'JPY', false, '1000', null],
    ['LR-2', 'KWD', false, '1234', null],
    ['LR-3', '', false, '50000', null],
  ]);
  expect(await dirtyKeys(open)).toEqual(['order:A-1', 'order:A-2']);
  // The yen has no decimals: that record goes to quarantine and does not affect others.
  await withdraw(open, 'A-2-KWD');
  await settle(open, 'A-2', 'JPY');
  await withdraw(open, 'A-3-USD');
  expect(await repriceAll(open, 'USD', "select 'order:A-2' union all select 'order:A-3'")).toBe(2);
  expect(await fundings(open)).toEqual([
    ['LR-1', 'JPY', false, '1000', null],
    ['LR-2', 'JPY', false, null, precise],
    ['LR-3', 'EUR', false, '500', null],
  ]);
  // Without any line that states a currency, the default applies.
  await withdraw(open, 'A-1-JPY');
  expect(await repriceAll(open, 'EUR')).toBe(1);
  expect((await fundings(open))[0]).toEqual(['LR-1', 'EUR', true, '100000', null]);
});

test('produces the same rows as a rebuilt database', async () => {
  const open = await openDatabase();
  await sync(open, historyService([whole(1, 1000), whole(2, 1.234), whole(3, 5)]), 'sync-1', day);
  await settle(open, 'A-1', 'JPY');
  await settle(open, 'A-2', 'KWD');
  await repriceAll(open);
  const later = await openDatabase();
  await settle(later, 'A-1', 'JPY');
  await settle(later, 'A-2', 'KWD');
  await sync(later, historyService([whole(1, 1000), whole(2, 1.234), whole(3, 5)]), 'sync-1', day);
  expect(await fundings(later)).toEqual(await fundings(open));
});

test('applies a changed default currency to existing fundings', async () => {
  const open = await openDatabase();
  await settle(open, 'A-2', 'KWD');
  const service = historyService([1, 2, 3].map((index) => whole(index, 1000)));
  await sync(open, service, 'sync-1', day);
  await open.write('delete from dirty_orders');
  const settings = { defaultCurrency: 'JPY' };
  const run = await sync(open, service, 'sync-2', { ...day, settings });
  expect(run).toMatchObject({ changed: 0, gone: 0, quarantined: 0 });
  expect(await fundings(open)).toEqual([
    ['LR-1', 'JPY', true, '1000', null],
    ['LR-2', 'KWD', false, '1000000', null],
    ['LR-3', 'JPY', true, '1000', null],
  ]);
  expect(await dirtyKeys(open)).toEqual(['order:A-1', 'order:A-3']);
});

test('reports the first of several problems of a record', async () => {
  const open = await openDatabase();
  const faults = { netAmount: 'much', updatedAt: 'yesterday' };
  await sync(
    open,
    historyService([wireRecord(1, at, faults), wireRecord(2, at, { ...faults, status: 5 })]),
    'sync-1',
    day,
  );
  expect((await fundings(open)).map((row) => row[4])).toEqual([
    'netAmount: amount-invalid',
    'status is missing',
  ]);
});

/** Lines of one order in several currencies, and fundings of that order with various ids. */
const ledgerLines = [
  ['USD', 'Settle', 10_000, 't-usd', 'm-usd', 'R-usd'],
  ['USD', 'Settle', 2_500, null, null, null],
  ['USD', 'Refund', 700, null, null, null],
  ['JPY', 'Settle', 25, null, null, null],
  ['JPY', 'Settle', 700, 't-jpy', 'm-jpy', 'R-jpy'],
] as const;
const without = {
  transactionId: null,
  merchantTransactionId: null,
  lenderReferenceId: null,
  chargeId: null,
  merchantOrderId: 'A-1',
  discountAmount: 0,
};
const posted: [string, string, Record<string, unknown>][] = [
  ['the id of a transaction', 'JPY', { transactionId: 't-jpy', transactionAmount: 100 }],
  ['the id of the merchant', 'USD', { merchantTransactionId: 'm-usd', transactionAmount: 9 }],
  ['the reference of the lender', 'JPY', { lenderReferenceId: 'R-jpy', transactionAmount: 8 }],
  ['an authorization', 'JPY', { merchantTransactionId: 'm-auth', transactionAmount: 7 }],
  ['the surest of two ids', 'USD', { transactionId: 't-usd', lenderReferenceId: 'R-jpy' }],
  ['an exact amount of its type', 'JPY', { transactionAmount: 700 }],
  ['the amount of a refund', 'USD', { transactionType: 'Refund', transactionAmount: -7 }],
  ['a text of cents', 'USD', { transactionAmount: 12.34 }],
  ['a discount of cents', 'USD', { transactionAmount: 12, discountAmount: 0.5 }],
  ['an amount of both', '', { transactionAmount: 25 }],
  ['nothing', '', { transactionAmount: 300 }],
  ['a chargeback of an amount', '', { transactionType: 'Chargeback', transactionAmount: 700 }],
  ['a text that neither can hold', '', { transactionAmount: 1.234 }],
];
const writeBooks = (open: TestDatabase) =>
  open.write(`
    insert into ledger_lines by name select 'order:A-1' as order_key,
      hash_of_key(order_key) as key_hash, id::varchar as id,
      'A-1' as merchant_order_id, 1 as occurred_at, 'import' as source, false as own, currency, type,
      amount, transaction_id, merchant_transaction_id, lender_reference_id
    from (values ${ledgerLines
      .map(
        (row, id) =>
          `(${id}, ${row.map((cell) => (typeof cell === 'string' ? `'${cell}'` : String(cell))).join(', ')})`,
      )
      .join(
        ', ',
      )}) t(id, currency, type, amount, transaction_id, merchant_transaction_id, lender_reference_id);
    insert into authorizations (order_key, currency, merchant_transaction_id) values ('order:A-1', 'JPY', 'm-auth')`);
const currencies = async (open: TestDatabase) =>
  new Map(
    (await open.rows('select product_type, currency, assumed, problem from fundings')).map(
      ([name, currency, assumed, problem]) => [name, [currency, assumed, problem]],
    ),
  );
const records = posted.map(([name, , change], index) => {
  const { transactionAmount = 100, discountAmount = 0 } = change as Record<string, number>;
  const netAmount = (transactionAmount * 1_000 - discountAmount * 1_000) / 1_000;
  return wireRecord(index, at, {
    ...without,
    transactionAmount,
    netAmount,
    ...change,
    productType: name,
  });
});

test('assigns the only matching currency to a funding of an order in two currencies', async () => {
  const open = await openDatabase();
  await writeBooks(open);
  await sync(open, historyService(records), 'sync-1', day);
  const assigned = new Map(posted.map(([name, currency]) => [name, [currency, false, null]]));
  expect(await currencies(open)).toEqual(assigned);
  expect(await repriceAll(open)).toBe(0);
  // The ledger may arrive after the fundings, and change again.
  const later = await openDatabase();
  await sync(later, historyService(records), 'sync-1', day);
  await writeBooks(later);
  expect(await repriceAll(later, 'USD', "select 'order:A-1'")).toBe(posted.length);
  expect(await currencies(later)).toEqual(assigned);
  await later.write("delete from ledger_lines where transaction_id = 't-jpy'");
  expect(await repriceAll(later)).toBe(3);
  await later.write("delete from ledger_lines where currency = 'JPY'; delete from authorizations");
  await repriceAll(later);
  expect(new Set(await later.rows('select currency from fundings group by 1'))).toEqual(
    new Set([['USD']]),
  );
});
