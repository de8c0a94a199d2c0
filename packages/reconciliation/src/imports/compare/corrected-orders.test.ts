import fc from 'fast-check';
import type { LedgerEntry } from '@financing-checkout/contract';
import { expect, test } from 'vitest';
import { NOW, openLedger } from '../keep/ledger.fixture.ts';

type Ledger = Awaited<ReturnType<typeof openLedger>>;
const options = { units: 'major', currency: 'USD', type: 'settle', file: 'march.csv' } as const;
const csv = (...rows: string[]) =>
  ['merchantOrderId,amount,date,transactionId,merchantTransactionId', ...rows, ''].join('\n');

/** Judges all orders, so that each has an exception and none is pending. */
const judge = async ({ change }: Ledger) => {
  await change('delete from dirty_orders');
  await change('delete from order_exceptions');
  await change(
    `insert into order_exceptions
     select distinct order_key, currency, 'AMOUNT_MISMATCH', 0, 1, 0, 'hash', false from ledger_lines`,
  );
};
/** Makes lenders post fundings for orders. */
const post = ({ change }: Ledger, ...orders: string[]) =>
  change(
    `insert into fundings by name
     select 'd' as day, 'd:' || o as id, o as identity, uuid() as hash, 'order:' || o as order_key,
       hash_of_key(order_key) as key_hash,
       o as merchant_order_id, 'USD' as currency, false as assumed, 0 as since
     from (select unnest([${orders.map((order) => `'${order}'`).join(', ')}]) as o)`,
  );
const correctionOf = (from: string, order: string, isExact = false) => ({
  orderKey: `order:${from}`,
  currency: 'USD',
  code: 'AMOUNT_MISMATCH' as const,
  contentHash: 'hash',
  order,
  isExact,
});
type Pair = readonly [from: string, to: string];
const compare = ({ imports }: Ledger, ...pairs: Pair[]) =>
  imports.compareOrders(pairs.map(([from, to]) => correctionOf(from, to)));
const problemsOf = async (ledger: Ledger, ...pairs: Pair[]) =>
  (await compare(ledger, ...pairs)).map((one) =>
    'refusal' in one ? [one.refusal, one.message] : one,
  );
const correct = async (ledger: Ledger, ...pairs: Pair[]) => {
  await judge(ledger);
  return ledger.imports.correctOrders(
    pairs.map(([from, to]) => correctionOf(from, to)),
    { actor: 'Ines', digest: pairs.join(), changeCases: () => Promise.resolve() },
  );
};
/** Returns the lines as "order amount id", sorted. */
const linesOf = async ({ ask }: Ledger) =>
  (await ask('select merchant_order_id as o, amount as a, id from ledger_lines'))
    .map(({ a, id, o }) => `${o} ${a} ${String(id)}`)
    .toSorted();
const settle = (merchantOrderId: string, change: Partial<LedgerEntry> = {}) => ({
  merchantOrderId,
  type: 'Settle' as const,
  state: 'accepted' as const,
  chargeId: 'chg-1',
  amount: { value: 500, currency: 'USD' },
  merchantTransactionId: 'M-1',
  transactionId: 'T-1',
  occurredAt: new Date(NOW).toISOString(),
  ...change,
});

test('moves the lines of an order, each by its id, and importing the original restores them', async () => {
  const ledger = await openLedger();
  const original = csv(
    'A-12,1.00,2026-03-01,,',
    'A-12,1.00,2026-03-01,,',
    'A-12,2.00,2026-03-02,T-2,',
    'A-12,3.00,2026-03-03,,M-3',
    'A-9,4.00,2026-03-04,,',
  );
  await ledger.run(original, options);
  await post(ledger, 'A-123');
  await judge(ledger);
  const before = await linesOf(ledger);
  expect(await compare(ledger, ['A-12', 'A-123'])).toMatchObject([
    {
      count: 4,
      settled: 700,
      refunded: 0,
      repeated: 0,
      staying: 0,
      orders: [
        { orderKey: 'order:A-12', before: 700, after: 0 },
        { orderKey: 'order:A-123', before: 0, after: 700 },
      ],
    },
  ]);
  expect(await linesOf(ledger)).toEqual(before);
  expect(await correct(ledger, ['A-12', 'A-123'])).toBe(4);
  expect(await linesOf(ledger)).toEqual([
    'A-123 100 c2:Settle:USD:100:1772323200000:A-123',
    'A-123 100 c:Settle:USD:100:1772323200000:A-123',
    'A-123 200 t:Settle:T-2',
    'A-123 300 m:Settle:M-3',
    'A-9 400 c:Settle:USD:400:1772582400000:A-9',
  ]);
  expect(await ledger.dirty()).toEqual(['order:A-12', 'order:A-123']);
  expect(ledger.facts.map(({ fact }) => [fact.action, fact.count, fact.actor])).toEqual([
    ['add', 5, undefined],
    ['withdraw', 4, 'Ines'],
    ['add', 4, 'Ines'],
  ]);
  // A corrected file has the same lines, and importing the original requires confirmation before it
  // restores the lines.
  expect(await ledger.run(original.replaceAll('A-12', 'A-123'), options)).toMatchObject({
    added: 0,
    repeated: 5,
    errorCount: 0,
  });
  expect(await ledger.run(original, options)).toMatchObject({
    applied: false,
    difference: { added: 4, removed: 4 },
  });
  await ledger.run(original, { ...options, correction: 'replace' });
  expect(await linesOf(ledger)).toEqual(before);
});

test('keeps the source of each import, so that each file restores its own lines', async () => {
  const ledger = await openLedger();
  const march = csv('A-12,1.00,2026-03-01,,');
  const february = csv('A-12,2.00,2026-02-01,,');
  await ledger.run(march, { ...options, file: undefined, of: 'erp' });
  await ledger.run(february, { ...options, file: undefined, of: 'pos' });
  await ledger.run(csv('A-12,3.00,2026-03-09,,'), { ...options, file: undefined, source: 'api' });
  await post(ledger, 'A-123');
  await correct(ledger, ['A-12', 'A-123']);
  const sources = ledger.facts.slice(3).map(({ fact }) => [fact.count, fact.origin?.source]);
  expect(sources).toEqual([
    [3, undefined],
    [1, undefined],
    [1, 'erp'],
    [1, 'pos'],
  ]);
  const again = { ...options, file: undefined, of: 'erp', correction: 'replace' } as const;
  expect(await ledger.run(march, again)).toMatchObject({ added: 1, replaced: 1 });
});

test('swaps two orders, and moves lines to an order whose own lines move away', async () => {
  const ledger = await openLedger();
  await ledger.run(
    csv('A-1,1.00,2026-03-01,,', 'A-2,1.00,2026-03-01,,', 'A-3,5.00,2026-03-01,,'),
    options,
  );
  await correct(ledger, ['A-1', 'A-2'], ['A-2', 'A-1']);
  expect((await linesOf(ledger)).map((line) => line.slice(0, 8))).toEqual([
    ...['A-1 100 ', 'A-2 100 ', 'A-3 500 '],
  ]);
  await correct(ledger, ['A-1', 'A-2'], ['A-2', 'A-3']);
  expect((await linesOf(ledger)).map((line) => line.slice(0, 8))).toEqual([
    ...['A-2 100 ', 'A-3 100 ', 'A-3 500 '],
  ]);
  // Without the second correction the first would double a line of A-3.
  await judge(ledger);
  expect(await compare(ledger, ['A-2', 'A-3'], ['A-3', 'nowhere'])).toMatchObject([
    { refusal: 'lines-alike' },
    { refusal: 'order-unknown' },
  ]);
});

test('leaves lines of the companion in place, and counts a line of the same transaction once', async () => {
  const ledger = await openLedger();
  await ledger.companion(settle('A-123'));
  await ledger.companion(settle('A-12', { merchantTransactionId: 'M-2', transactionId: 'T-2' }));
  await ledger.run(csv('A-12,5.00,2026-03-01,T-1,'), { ...options, keepBoth: true });
  await judge(ledger);
  expect(await compare(ledger, ['A-12', 'A-123'])).toMatchObject([
    {
      count: 1,
      repeated: 1,
      staying: 1,
      orders: [
        { before: 1_000, after: 500 },
        { before: 500, after: 500 },
      ],
    },
  ]);
  await correct(ledger, ['A-12', 'A-123']);
  expect(await linesOf(ledger)).toEqual(['A-12 500 m:Settle:M-2', 'A-123 500 m:Settle:M-1']);
  await judge(ledger);
  expect(await problemsOf(ledger, ['A-12', 'A-123'])).toEqual([
    ['lines-not-imported', expect.stringContaining('companion')],
  ]);
});

test('converts the posted amount of an order without a currency to that of the moved lines', async () => {
  const ledger = await openLedger();
  await ledger.run(csv('A-12,5.000,2026-03-01,,'), { ...options, currency: 'KWD' });
  await judge(ledger);
  await ledger.change(
    `insert into order_statuses by name
     select 'order:A-123' as order_key, hash_of_key(order_key) as key_hash, 'USD' as currency, '' as funding, '' as returns, '' as headline,
       0 as expected_settle, 0 as expected_refund, 700 as funded_settle, 200 as funded_refund,
       0 as funded_chargeback, 0 as funded_reversal, 0 as discount, 0 as net, 0 as awaiting, 0 as judged,
       0 as computed_at, 0 as changed_at, true as assumed`,
  );
  await post(ledger, 'A-123');
  const found = await ledger.imports.compareOrders([
    { ...correctionOf('A-12', 'A-123'), currency: 'KWD' },
  ]);
  expect(found).toMatchObject([{ orders: [{ posted: 0 }, { after: 5_000, posted: 5_000 }] }]);
});

test('refuses an order that has a line with the same amount', async () => {
  const ledger = await openLedger();
  await ledger.run(csv('A-12,5.00,2026-03-01,,', 'A-123,5.00,2026-03-05,,M-9'), options);
  await judge(ledger);
  expect(await compare(ledger, ['A-12', 'A-123'])).toMatchObject([{ refusal: 'lines-alike' }]);
  expect(await correct(ledger, ['A-12', 'A-123'])).toBeUndefined();
  expect(ledger.facts).toHaveLength(1);
});

test.each([
  ['order-same', '00012', '00012', /leave correct_order empty$/],
  ['order-same', '00012', '12', /another spelling/],
  ['order-same', '7', '7', /order:007, which/],
  ['order-unknown', 'A-12', 'A-124', /no ledger line, funding or authorization: correct it/],
  ['order-unknown', 'A-12', 'a-9', /the ledger has "A-9": write order:A-9/],
  ['order-ambiguous', 'A-12', '7', /write order:7 or order:007/],
])('refuses with code %s to correct %s to %s', async (refusal, from, to, message) => {
  const ledger = await openLedger();
  const rows = ['00012', 'A-12', 'A-9', '7', '007'].map((order) => `${order},5.00,2026-03-01,,`);
  await ledger.run(csv(...rows), options);
  await judge(ledger);
  expect(await problemsOf(ledger, [from, to])).toEqual([[refusal, expect.stringMatching(message)]]);
});

test('accepts an order with its prefix if leading zeros are ambiguous, and one with leading zeros', async () => {
  const ledger = await openLedger();
  await ledger.run(csv('A-12,5.00,2026-03-01,,', '7,6.00,2026-03-01,,'), options);
  await post(ledger, '007');
  await judge(ledger);
  const found = await ledger.imports.compareOrders([correctionOf('A-12', '7', true)]);
  expect(found).toMatchObject([{ count: 1 }]);
  expect(await compare(ledger, ['A-12', '007'])).toMatchObject([{ count: 1 }]);
});

test.each([
  ['waits for judging', `insert into dirty_orders values ('order:A-12')`],
  ['was judged with other lines', `update order_exceptions set content_hash = 'other'`],
  ['has no such exception any more', 'delete from order_exceptions'],
])('refuses an order that %s', async (_, sql) => {
  const ledger = await openLedger();
  await ledger.run(csv('A-12,5.00,2026-03-01,,'), options);
  await post(ledger, 'A-123');
  await judge(ledger);
  await ledger.change(sql);
  expect(await compare(ledger, ['A-12', 'A-123'])).toMatchObject([{ refusal: 'lines-changed' }]);
});

test('rebuilds the same lines from the facts', async () => {
  const ledger = await openLedger();
  await ledger.run(csv('A-12,1.00,2026-03-01,,', 'A-12,2.00,2026-03-02,T-2,'), options);
  await post(ledger, 'A-123');
  await correct(ledger, ['A-12', 'A-123']);
  const other = await openLedger();
  await ledger.replayInto(other, ledger.facts);
  expect(await linesOf(other)).toEqual(await linesOf(ledger));
});

test('preserves the total of all lines for any corrections, and importing the original restores the lines', async () => {
  const orders = ['X1', 'X2', 'X3', 'Y1', 'Y2'];
  const order = fc.constantFrom(...orders);
  const lines = fc.uniqueArray(
    fc.record({ order, day: fc.integer({ min: 1, max: 28 }), named: fc.boolean() }),
    { minLength: 1, maxLength: 12, selector: ({ day, order: of }) => `${of} ${day}` },
  );
  const pairs = fc.uniqueArray(fc.tuple(order, order), {
    minLength: 1,
    maxLength: 3,
    selector: ([from]) => from,
  });
  const ledger = await openLedger();
  await post(ledger, ...orders);
  let run = 0;
  await fc.assert(
    fc.asyncProperty(lines, pairs, async (wanted, moves) => {
      await ledger.change('delete from ledger_lines');
      const ofRun = { ...options, file: undefined, of: `run ${(run += 1)}` };
      // Each amount is unique, so that no line looks like another one.
      const file = csv(
        ...wanted.map(
          ({ day, named, order: of }, at) =>
            `${of},${at + 1}.00,2026-03-${String(day).padStart(2, '0')},${named ? `T-${at}` : ''},`,
        ),
      );
      await ledger.run(file, ofRun);
      await judge(ledger);
      const before = await linesOf(ledger);
      const found = await compare(ledger, ...moves);
      const accepted = moves.filter((_, at) => !('refusal' in (found[at] ?? {})));
      if (accepted.length > 0) await correct(ledger, ...accepted);
      const target = new Map(accepted);
      const expected = wanted.map(({ order: of }, at) => ({
        order: target.get(of) ?? of,
        amount: (at + 1) * 100,
      }));
      const after = await linesOf(ledger);
      expect(after.map((line) => line.split(' ').slice(0, 2).join(' ')).toSorted()).toEqual(
        expected.map((line) => `${line.order} ${line.amount}`).toSorted(),
      );
      for (const one of found) {
        if ('refusal' in one) continue;
        for (const { after: shown, orderKey } of one.orders) {
          const own = expected.filter((line) => `order:${line.order}` === orderKey);
          expect(shown).toBe(own.reduce((sum, { amount }) => sum + amount, 0));
        }
      }
      await ledger.run(file, { ...ofRun, correction: 'replace' });
      expect(await linesOf(ledger)).toEqual(before);
    }),
    { numRuns: 8 },
  );
});
