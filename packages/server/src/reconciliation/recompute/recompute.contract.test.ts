import { hash } from 'node:crypto';
import fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fundingsLease } from '../../fundings/books.ts';
import { SqliteBulk } from '../../node/sqlite-bulk.ts';
import { type Counters, createCounters } from '../../observe/counters.ts';
import type { LogFields, Logger } from '../../observe/logger.ts';
import type { Schema } from '../../store/schema.ts';
import { exceptionRow, places } from '../places.fixture.ts';
import { defaultPolicy, type JudgingPolicy } from '../policy.ts';
import type { BulkConnection } from './bulk.ts';
import { type ChunkTask, examineChunk, writeFindings } from './chunk.ts';
import type { Workshop } from './engine.ts';
import { inProcessWorker } from './in-process.ts';
import { LeaseLostError } from './lease.ts';
import {
  book,
  type BookedOrder,
  DAY_MS,
  environment,
  mark,
  NOW,
  ruled,
  standing,
} from './orders.fixture.ts';
import { orders, policies } from './random-orders.fixture.ts';
import { createRecompute, RULES_VERSION } from './recompute.ts';
import { surveyHere } from './survey-here.ts';
import { surveyInDatabase } from './survey-in-database.ts';

const sha256 = (text: string) => hash('sha256', text);

interface Bench {
  db: Kysely<Schema>;
  bulk: BulkConnection;
  /** A recompute by a policy, at a moment; `how` changes the way it works. */
  recompute: (setting?: Setting) => ReturnType<typeof createRecompute>;
  logged: { event: string; fields: LogFields | undefined }[];
  counters: Counters;
}

interface Setting {
  policy?: JudgingPolicy;
  policyHash?: string;
  now?: number;
  complete?: boolean;
  workshop?: Partial<Workshop>;
}

/** The store's own connections on both databases, and the one that a thread has on SQLite. */
const benches = places.flatMap(([name, open]): [string, () => Promise<Bench>][] => {
  const make = (own: boolean) => async (): Promise<Bench> => {
    const { store, db } = await open();
    const bulk = own ? await ownConnection(db) : store.bulk;
    const counters = createCounters();
    const logged: Bench['logged'] = [];
    const logger: Logger = { log: (_, event, fields) => void logged.push({ event, fields }) };
    const recompute = (setting: Setting = {}) => {
      const { policy = defaultPolicy, policyHash = 'one', now = NOW, complete = true } = setting;
      const worker = inProcessWorker({
        bulk,
        now: () => now,
        hash: sha256,
        chunkRows: 3,
        surveyFrom: 1,
        rangeRows: 5,
        ...setting.workshop,
      });
      return createRecompute({
        environment,
        store,
        worker,
        policy,
        policyHash,
        isComplete: () => Promise.resolve(complete),
        clock: { now: () => now, after: () => () => undefined },
        logger,
        counters,
      });
    };
    return { db, bulk, counters, recompute, logged };
  };
  const both: [string, () => Promise<Bench>][] = [[name, make(false)]];
  if (name === 'SQLite') both.push(['SQLite with a connection of its own', make(true)]);
  return both;
});

async function ownConnection(db: Kysely<Schema>): Promise<BulkConnection> {
  const { rows } = await db.executeQuery<{ file: string }>(
    // The file that the store has open.
    (await import('kysely')).CompiledQuery.raw(`select file from pragma_database_list`),
  );
  const bulk = new SqliteBulk(rows[0]?.file ?? '');
  onTestFinished(() => bulk.close());
  return bulk;
}

const settle = (key: string, change: Partial<BookedOrder> = {}): BookedOrder => ({
  orderKey: `order:${key}`,
  currency: 'USD',
  ledger: [
    {
      id: `m:Settle:${key}`,
      type: 'Settle',
      amount: 10_000,
      occurredAt: NOW - 10 * DAY_MS,
      transactionId: `t-${key}`,
    },
  ],
  fundings: [
    {
      id: `f-${key}`,
      status: 'RECONCILED',
      transactionType: 'Settle',
      transactionAmount: 10_000,
      discountAmount: 290,
      netAmount: 9_710,
      fundedAt: NOW - 9 * DAY_MS,
      updatedAt: NOW - 9 * DAY_MS,
      lenderName: 'Tamberley Credit',
      transactionId: `t-${key}`,
    },
  ],
  ...change,
});

/** An order whose lines are each funded in full. */
function withLines(
  key: string,
  lines: readonly {
    type: 'Settle' | 'Refund';
    amount: number;
    discountAmount: number;
    netAmount?: number;
  }[],
): BookedOrder {
  const parts = lines.map(({ type, amount, discountAmount, ...line }, index) => {
    const { ledger, fundings } = settle(`${key}-${index}`);
    const { netAmount = amount - discountAmount } = line;
    const paid = { transactionType: type, transactionAmount: amount, discountAmount, netAmount };
    return {
      ledger: ledger.map((line) => ({ ...line, type, amount })),
      fundings: fundings.map((line) => ({ ...line, ...paid })),
    };
  });
  return settle(key, {
    ledger: parts.flatMap(({ ledger }) => ledger),
    fundings: parts.flatMap(({ fundings }) => fundings),
  });
}

describe.each(benches)('recompute on %s', (_, open) => {
  test('what is in the tables is what the rules say, and stays so when all is computed again', async () => {
    const { db, recompute } = await open();
    const surveyFrom = fc.constantFrom(1, 1_000);
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        orders,
        orders,
        policies,
        surveyFrom,
        async (first, second, policy, from) => {
          const { now, complete } = policy;
          const workshop = { surveyFrom: from };
          const job = recompute({ policy, policyHash: `p${++round}`, now, complete, workshop });
          await book(db, first);
          await job.full();
          expect(await standing(db)).toEqual(ruled(first, policy));
          // Some orders change, some go, some are new; their keys are marked.
          await book(db, second);
          await mark(
            db,
            [...first, ...second].map(({ orderKey }) => orderKey),
          );
          await job.dirty();
          expect(await standing(db)).toEqual(ruled(second, policy));
          expect(await db.selectFrom('dirty_orders').selectAll().execute()).toEqual([]);
          const again = await job.full();
          expect(again).toMatchObject({ state: 'done', full: true, changed: 0, unexplained: 0 });
        },
      ),
      { numRuns: 30 },
    );
  }, 60_000);

  test('each survey calls paid only what the rules do, with the same sums', async () => {
    const { db, bulk } = await open();
    const kinds = bulk.kind === 'sqlite' ? [surveyHere, surveyInDatabase] : [surveyInDatabase];
    const found = kinds.map(() => 0);
    await fc.assert(
      fc.asyncProperty(orders, policies, async (list, policy) => {
        await book(db, list);
        const scope = { environment, kind: 'all', after: '', last: undefined } as const;
        const expected = ruled(list, policy);
        const surveys = kinds.map((survey) => survey(bulk, scope, policy));
        for (const [at, { paid, others }] of (await Promise.all(surveys)).entries()) {
          found[at] = (found[at] ?? 0) + paid.length;
          for (const order of paid) {
            const status = expected[`${order.currency} ${order.orderKey}`];
            expect(status).toMatchObject({
              exceptions: [],
              funding: 'FUNDED',
              expected: { settle: order.settle, refund: order.refund },
              funded: { settle: order.settle, refund: order.refund, chargeback: 0, reversal: 0 },
              discount: order.discount,
              net: order.net,
              awaiting: 0,
              recheckAt: undefined,
            });
          }
          const told = [...paid, ...others].map((it) => `${it.currency} ${it.orderKey}`);
          expect(told.sort()).toEqual(Object.keys(expected).sort());
        }
      }),
      { numRuns: 150 },
    );
    // Neither would be worth anything if it found none.
    expect(Math.min(...found)).toBeGreaterThan(20);
  }, 60_000);

  test('each survey knows what is only just, and what is not quite, paid as agreed', async () => {
    const { db, bulk } = await open();
    const kinds = bulk.kind === 'sqlite' ? [surveyHere, surveyInDatabase] : [surveyInDatabase];
    const policy = {
      ...defaultPolicy,
      now: NOW,
      complete: true,
      // The others are of what none of these orders is.
      contracts: [{}, { productType: 'Installments' }, { promoCode: 'SPRING' }].map(
        (of, index) => ({
          lender: 'Tamberley Credit',
          basisPoints: 290 + 100 * index,
          returnedOnRefund: true,
          ...of,
        }),
      ),
    };
    const kept = (key: string, discountAmount: number) =>
      withLines(key, [{ type: 'Settle', amount: 10_000, discountAmount }]);
    const back = (key: string, amount: number, discountAmount: number) =>
      withLines(key, [
        { type: 'Settle', amount: 10_000, discountAmount: 290 },
        { type: 'Refund', amount, discountAmount },
      ]);
    const list = [
      kept('as agreed', 290),
      kept('a unit less', 289),
      kept('a unit more', 291),
      // 2.9 percent of 30 are 0.87, of 17 they are 0.493.
      withLines('another net', [
        { type: 'Settle', amount: 10_000, discountAmount: 290, netAmount: 9_708 },
      ]),
      back('the unit given back', 30, 1),
      back('the unit kept', 30, 0),
      back('half a unit kept', 17, 0),
      withLines('a refund alone', [{ type: 'Refund', amount: 10_000, discountAmount: 290 }]),
      back('all of it', 10_000, 290),
      back('more than all', 20_000, 580),
      settle('of another currency', { ledger: [] }),
      settle('of another currency', { currency: 'JPY', fundings: [] }),
    ];
    await book(db, list);
    const expected = ruled(list, policy);
    const isPlain = (key: string) => {
      const status = expected[`USD order:${key}`];
      return status?.funding === 'FUNDED' && status.exceptions.length === 0;
    };
    const plain = ['as agreed', 'the unit given back', 'half a unit kept', 'all of it'];
    expect(plain.filter(isPlain)).toEqual(plain);
    const scope = { environment, kind: 'all', after: '', last: undefined } as const;
    for (const survey of kinds) {
      const { paid } = await survey(bulk, scope, policy);
      const names = paid.map(({ orderKey }) => orderKey.slice('order:'.length));
      expect(names.filter((name) => !isPlain(name))).toEqual([]);
      // The database tells orders of one line alone.
      const told = survey === surveyHere ? plain : plain.slice(0, 1);
      expect(names.sort()).toEqual(told.toSorted());
    }
  });

  test('each survey knows what is kept of each settle beside its share, in its currency', async () => {
    const { db, bulk } = await open();
    const terms = { lender: 'Tamberley Credit', basisPoints: 290, returnedOnRefund: true };
    const contracts = [{ ...terms, perSettle: { JPY: 7, USD: 30 } }];
    const policy = { ...defaultPolicy, now: NOW, complete: true, contracts };
    const kept = (key: string, discountAmount: number, currency = 'USD') => ({
      ...withLines(key, [{ type: 'Settle' as const, amount: 10_000, discountAmount }]),
      currency,
    });
    const list = [
      kept('both', 320),
      kept('the share alone', 290),
      kept('a unit more', 321),
      kept('of another currency', 297, 'JPY'),
      kept('of one without', 290, 'EUR'),
      kept('of one without, and more', 320, 'EUR'),
    ];
    await book(db, list);
    const plain = Object.entries(ruled(list, policy))
      .filter(([, { headline }]) => headline === 'FUNDED')
      .map(([place]) => place);
    expect(plain).toEqual([
      'USD order:both',
      'JPY order:of another currency',
      'EUR order:of one without',
    ]);
    const scope = { environment, kind: 'all', after: '', last: undefined } as const;
    for (const survey of bulk.kind === 'sqlite'
      ? [surveyHere, surveyInDatabase]
      : [surveyInDatabase]) {
      const { paid } = await survey(bulk, scope, policy);
      const places = paid.map(({ orderKey, currency }) => `${currency} ${orderKey}`);
      expect(places.sort()).toEqual(plain.toSorted());
    }
  });

  test('an id that holds what the text of lines is taken apart by makes no other order', async () => {
    const { db, bulk } = await open();
    // In the last value of all: nothing comes after it that would be out of order.
    await book(db, [settle('1'), settle('2', { ledger: settle('2\u0002zz').ledger })]);
    const policy = { ...defaultPolicy, now: NOW, complete: true };
    const scope = { environment, kind: 'all', after: '', last: undefined } as const;
    const survey = bulk.kind === 'sqlite' ? surveyHere : surveyInDatabase;
    const { paid, others } = await survey(bulk, scope, policy);
    const keys = [...paid, ...others].map(({ orderKey }) => orderKey);
    expect(keys.sort()).toEqual(['order:1', 'order:2']);
  });

  test('whatever of a plain status is not as it was written is put right', async () => {
    const { db, recompute } = await open();
    await book(db, [
      settle('1'),
      withLines('2', [
        { type: 'Settle', amount: 10_000, discountAmount: 290 },
        { type: 'Refund', amount: 2_500, discountAmount: 73 },
      ]),
    ]);
    await recompute().full();
    const before = await standing(db);
    for (const change of [
      { funding: 'PARTIALLY_FUNDED' },
      { returns: 'CHARGED_BACK' },
      { headline: 'CHARGED_BACK' },
      { headline: 'CHARGED_BACK', returns: 'CHARGED_BACK' },
      { expected_settle: 1 },
      { funded_settle: 1 },
      { expected_settle: 1, funded_settle: 1 },
      { expected_refund: 1 },
      { funded_refund: 1 },
      { expected_refund: 1, funded_refund: 1 },
      { funded_chargeback: 1 },
      { funded_reversal: 1 },
      { discount: 1 },
      { net: 1 },
      { awaiting: 1 },
      { recheck_at: NOW + DAY_MS },
      { lines_hash: 'another' },
    ]) {
      await db.updateTable('order_statuses').set(change).execute();
      expect([change, await recompute().full()]).toMatchObject([change, { changed: 2 }]);
      expect(await standing(db)).toEqual(before);
    }
  });

  test('a refund booked before its settle does not say which contract holds', async () => {
    const { db, recompute } = await open();
    const plain = settle('1');
    const [line] = plain.ledger;
    const [paid] = plain.fundings;
    if (!line || !paid) throw new Error('a settle that is funded');
    const [type, transactionId] = ['Refund', 'back'] as const;
    const occurredAt = line.occurredAt - 1;
    const order = settle('1', {
      ledger: [line, { ...line, id: 'back', type, transactionId, occurredAt }],
      fundings: [paid, { ...paid, id: 'given-back', transactionType: type, transactionId }],
    });
    await book(db, [order]);
    const agreed = { lender: paid.lenderName, basisPoints: 290, returnedOnRefund: true };
    const raised = { ...agreed, basisPoints: 400, from: line.occurredAt };
    for (const [contracts, headline] of [
      [[agreed], 'REFUNDED'],
      [[agreed, raised], 'MDR_VARIANCE'],
    ] as const) {
      const policy = { ...defaultPolicy, contracts };
      await recompute({ policy, policyHash: headline }).full();
      const stands = await standing(db);
      expect(stands).toEqual(ruled([order], { ...policy, now: NOW, complete: true }));
      expect(Object.values(stands)).toMatchObject([{ headline }]);
    }
  });

  test('a status that is found again is not written again', async () => {
    const { db, recompute } = await open();
    await book(db, [settle('1'), settle('2', { fundings: [] })]);
    await recompute().full();
    const before = await db.selectFrom('order_statuses').selectAll().orderBy('order_key').execute();
    await mark(db, ['order:1', 'order:2']);
    const result = await recompute({ now: NOW + 1000 }).dirty();
    expect(result.changed).toBe(0);
    const after = await db.selectFrom('order_statuses').selectAll().orderBy('order_key').execute();
    expect(after).toEqual(before);
  });

  test('an order that comes to be paid loses its exceptions, and stands as it does since then', async () => {
    const { db, recompute } = await open();
    const missing = settle('1', { fundings: [] });
    const [funding] = settle('1').fundings;
    if (!funding) throw new Error('The order has no funding.');
    const dearer = settle('1', {
      fundings: [{ ...funding, discountAmount: 300, netAmount: 9_700 }],
    });
    const seen: unknown[] = [];
    for (const [day, order] of [missing, settle('1'), dearer, missing].entries()) {
      await book(db, [order]);
      await mark(db, ['order:1']);
      expect(await recompute({ now: NOW + day * DAY_MS }).dirty()).toMatchObject({ changed: 1 });
      const [status] = await db.selectFrom('order_statuses').selectAll().execute();
      const exceptions = await db.selectFrom('order_exceptions').select('code').execute();
      const since = (Number(status?.changed_at) - NOW) / DAY_MS;
      seen.push([status?.headline, Number(status?.net), since, exceptions.length]);
    }
    expect(seen).toEqual([
      ['MISSING_AT_LENDER', 0, 0, 1],
      ['FUNDED', 9_710, 1, 0],
      ['FUNDED', 9_700, 1, 0],
      ['MISSING_AT_LENDER', 0, 3, 1],
    ]);
  });

  // Who ignored its case has it back.
  test('an exception of an order that is funded in full is another one once its lines are', async () => {
    const { db, recompute } = await open();
    const order = settle('1');
    await book(db, [order]);
    const contracts = [{ lender: 'Tamberley Credit', basisPoints: 400, returnedOnRefund: true }];
    const job = recompute({ policy: { ...defaultPolicy, contracts } });
    await job.full();
    const exceptions = () =>
      db.selectFrom('order_exceptions').selectAll().executeTakeFirstOrThrow();
    const first = await exceptions();
    expect(first.code).toBe('MDR_VARIANCE');
    const seen = new Set([first.content_hash]);
    const again = async () => {
      await mark(db, ['order:1']);
      await job.dirty();
      const { content_hash: content, ...rest } = await exceptions();
      expect({ content_hash: first.content_hash, ...rest }).toEqual(first);
      seen.add(content);
      return seen.size;
    };
    expect(await again()).toBe(1);
    await db.updateTable('fundings').set({ updated_at: NOW }).execute();
    expect(await again()).toBe(1);
    const changes = [
      { lender_reference_id: 'other' },
      { product_type: 'other' },
      { promo_code: 'other' },
      { merchant_transaction_id: 'other' },
    ];
    for (const [index, change] of changes.entries()) {
      await db.updateTable('fundings').set(change).execute();
      expect([change, await again()]).toEqual([change, index + 2]);
    }
    await db.updateTable('ledger_lines').set({ merchant_transaction_id: 'another' }).execute();
    expect(await again()).toBe(changes.length + 2);
    // And where the same lines are that much more away from what was agreed.
    const raised = contracts.map((contract) => ({ ...contract, basisPoints: 500 }));
    const policy = { ...defaultPolicy, contracts: raised };
    await recompute({ policy, policyHash: 'two' }).full();
    expect(seen).not.toContain((await exceptions()).content_hash);
  });

  test('time alone makes an awaited settle a missing one, when its moment has come', async () => {
    const { db, recompute } = await open();
    const occurredAt = NOW - DAY_MS;
    const order = settle('1', { fundings: [] });
    await book(db, [{ ...order, ledger: order.ledger.map((line) => ({ ...line, occurredAt })) }]);
    await recompute().dirty();
    expect((await standing(db))['USD order:1']).toMatchObject({
      headline: 'AWAITING_FUNDING',
      awaiting: 10_000,
    });
    expect(await recompute({ now: NOW + DAY_MS }).dirty()).toMatchObject({ judged: 0 });
    expect(await recompute({ now: NOW + 9 * DAY_MS }).dirty()).toMatchObject({ changed: 1 });
    expect((await standing(db))['USD order:1']).toMatchObject({ headline: 'MISSING_AT_LENDER' });
    // Nothing is left to wait for.
    expect(await recompute({ now: NOW + 99 * DAY_MS }).dirty()).toMatchObject({ judged: 0 });
  });

  test('what may be called missing changes with whether the data is complete', async () => {
    const { db, recompute } = await open();
    const back = withLines('3', [
      { type: 'Settle', amount: 10_000, discountAmount: 290 },
      { type: 'Refund', amount: 2_500, discountAmount: 73 },
    ]);
    const refund = { ...back, fundings: back.fundings.slice(0, 1) };
    await book(db, [settle('1', { fundings: [] }), settle('2'), refund]);
    await recompute({ complete: false }).dirty();
    expect((await standing(db))['USD order:1']?.headline).toBe('AWAITING_FUNDING');
    // What is paid is so with whatever data, and not looked at again.
    const now = await recompute({ complete: true, workshop: { surveyFrom: 9 } }).dirty();
    expect(now).toMatchObject({ full: false, judged: 2, changed: 2 });
    expect((await standing(db))['USD order:1']?.headline).toBe('MISSING_AT_LENDER');
    expect((await standing(db))['USD order:3']?.exceptions).toHaveLength(1);
    expect(await recompute({ complete: true }).dirty()).toMatchObject({ judged: 0 });
    await recompute({ complete: false }).dirty();
    expect((await standing(db))['USD order:1']?.exceptions).toEqual([]);
    expect((await standing(db))['USD order:3']?.exceptions).toEqual([]);
    // Nor is it an alarm where all is judged again.
    const full = await recompute({ complete: true }).full();
    expect(full).toMatchObject({ full: true, changed: 2, unexplained: 0 });
  });

  test('what is late comes and goes with missing data, and is no other exception', async () => {
    const { db, recompute } = await open();
    const order = withLines('1', [
      { type: 'Settle', amount: 10_000, discountAmount: 290 },
      { type: 'Settle', amount: 10_000, discountAmount: 290 },
    ]);
    const paid = [10_100, 9_000];
    const fundings = order.fundings.map((line, at) => {
      const transactionAmount = paid[at] ?? 0;
      return { ...line, transactionAmount, netAmount: transactionAmount - 290 };
    });
    await book(db, [{ ...order, fundings }]);
    const exceptions = () =>
      db.selectFrom('order_exceptions').select(['code', 'amount', 'content_hash']).execute();
    await recompute().full();
    const [whole] = await exceptions();
    await recompute({ complete: false }).full();
    const [part] = await exceptions();
    expect([part?.code, part?.content_hash]).toEqual([whole?.code, whole?.content_hash]);
    expect(part?.amount).not.toBe(whole?.amount);
  });

  test('very many that time or completeness may have changed are marked some at a time', async () => {
    const { db, bulk, recompute } = await open();
    const late = Array.from({ length: 20 }, (_, n) => settle(String(n % 10), { fundings: [] }));
    // Each in two currencies, which are one mark.
    const orders = late.map((order, n) => ({
      ...order,
      currency: n < 10 ? 'USD' : 'EUR',
      ledger: order.ledger.map((line) => ({ ...line, id: `${line.id}:${n}` })),
    }));
    await book(db, orders);
    await recompute({ complete: false }).dirty();
    const marked: number[] = [];
    const watched: BulkConnection = {
      kind: bulk.kind,
      rows: (sql, parameters) => bulk.rows(sql, parameters),
      write: (work) =>
        bulk.write((writer) =>
          work({
            upsert: (table, rows) => writer.upsert(table, rows),
            remove: (table, columns, rows) => writer.remove(table, columns, rows),
            async run(sql, parameters) {
              const count = await writer.run(sql, parameters);
              if (sql.includes('into dirty_orders')) marked.push(count);
              return count;
            },
          }),
        ),
    };
    const workshop = { bulk: watched };
    const result = await recompute({ complete: true, workshop }).dirty();
    expect(result).toMatchObject({ state: 'done', changed: 20 });
    expect(Math.max(...marked)).toBeLessThanOrEqual(3);
    expect(marked.reduce((sum, count) => sum + count, 0)).toBe(10);

    await recompute({ complete: false }).dirty();
    await db.updateTable('order_statuses').set({ recheck_at: NOW }).execute();
    marked.length = 0;
    await recompute({ complete: false, workshop }).dirty();
    expect(Math.max(...marked)).toBeLessThanOrEqual(3);
    expect(marked.reduce((sum, count) => sum + count, 0)).toBe(10);
    expect(await db.selectFrom('dirty_orders').selectAll().execute()).toEqual([]);

    // Stopped in the middle of it, it is begun anew.
    let looks = 0;
    const stopping = recompute({ complete: true, workshop: { stopped: () => ++looks > 1 } });
    expect(await stopping.dirty()).toMatchObject({ state: 'stopped' });
    expect(await recompute({ complete: true }).dirty()).toMatchObject({ state: 'done' });
    const headlines = Object.values(await standing(db)).map(({ headline }) => headline);
    expect([headlines.length, new Set(headlines)]).toEqual([20, new Set(['MISSING_AT_LENDER'])]);
  });

  test('another policy computes all again', async () => {
    const { db, recompute } = await open();
    const [order] = [settle('1')];
    const fundings = order.fundings.map((line) => ({
      ...line,
      transactionAmount: 9_999,
      netAmount: 9_709,
    }));
    await book(db, [{ ...order, fundings }]);
    await recompute().dirty();
    expect((await standing(db))['USD order:1']?.headline).toBe('AMOUNT_MISMATCH');
    const policy = { ...defaultPolicy, tolerance: { minorUnits: 1, basisPoints: 0 } };
    const result = await recompute({ policy, policyHash: 'two' }).dirty();
    expect(result).toMatchObject({ full: true, changed: 1, unexplained: 0 });
    expect((await standing(db))['USD order:1']?.headline).toBe('FUNDED');
  });

  test('what a newer version has just judged by its rules is left to it, and not for ever', async () => {
    const { db, recompute } = await open();
    const list = [settle('1'), settle('2', { fundings: [] })];
    await book(db, list);
    await recompute().dirty();
    const newer = `${RULES_VERSION + 1} one`;
    await db.updateTable('recomputes').set({ rules: newer }).execute();
    // By rules that nobody here knows.
    await db.updateTable('order_statuses').set({ headline: 'TYPE_MISMATCH' }).execute();
    const judged = await standing(db);
    await mark(db, ['order:1']);
    for (const minute of [0, 59]) {
      const soon = recompute({ now: NOW + minute * 60_000 });
      expect(await soon.dirty()).toMatchObject({ state: 'busy', judged: 0 });
      expect(await soon.full()).toMatchObject({ state: 'busy', judged: 0 });
    }
    expect(await standing(db)).toEqual(judged);
    expect(await db.selectFrom('dirty_orders').selectAll().execute()).toHaveLength(1);
    const later = NOW + 60 * 60_000;
    expect(await recompute({ now: later }).dirty()).toMatchObject({ state: 'done', full: true });
    const policy = { ...defaultPolicy, now: later, complete: true };
    expect(await standing(db)).toEqual(ruled(list, policy));
  });

  test('what another policy changes is no alarm, whoever ends what was begun', async () => {
    const { db, recompute, logged } = await open();
    const late = Array.from({ length: 40 }, (_, n) => settle(String(n), { fundings: [] }));
    await book(db, late);
    await recompute().dirty();
    const policy = { ...defaultPolicy, slaDays: { default: 365, lenders: {} } };
    const other = { policy, policyHash: 'two' };
    let looks = 0;
    const ended = await recompute({ ...other, workshop: { stopped: () => ++looks > 2 } }).dirty();
    expect(ended).toMatchObject({ state: 'stopped' });
    // The range it had taken is free again when its lease has ended.
    const result = await recompute({ ...other, now: NOW + 60_000 }).full();
    expect(result).toMatchObject({ state: 'done', full: true, unexplained: 0 });
    expect(result.changed).toBeGreaterThan(0);
    expect(ended.changed + result.changed).toBe(40);
    expect(logged.map(({ event }) => event)).not.toContain('reconciliation-differs');
  });

  test('a status that the lines do not explain raises an alarm, and is put right', async () => {
    const { counters, db, recompute, logged } = await open();
    await book(db, [settle('1'), settle('2')]);
    await recompute().dirty();
    await db
      .updateTable('order_statuses')
      .set({ net: 1 })
      .where('order_key', '=', 'order:2')
      .execute();
    expect(await recompute().full()).toMatchObject({ changed: 1, unexplained: 1 });
    expect(logged).toContainEqual(expect.objectContaining({ event: 'reconciliation-differs' }));
    expect(counters.read('reconciliation-differs')).toBe(1);
    expect((await standing(db))['USD order:2']?.net).toBe(9_710);
    // A change that was announced is none.
    logged.length = 0;
    await book(db, [settle('1'), settle('2', { fundings: [] })]);
    await mark(db, ['order:2']);
    expect(await recompute().full()).toMatchObject({ changed: 1, unexplained: 0 });
    expect(logged.map(({ event }) => event)).not.toContain('reconciliation-differs');
  });

  test('an alarm is raised also when who found it died before it could say so', async () => {
    const { bulk, counters, db, recompute, logged } = await open();
    await book(
      db,
      Array.from({ length: 10 }, (_unused, n) => settle(String(n))),
    );
    await recompute().dirty();
    const changed = db.updateTable('order_statuses').set({ net: 1 });
    await changed.where('order_key', '=', 'order:0').execute();
    let isDead = false;
    const dying: BulkConnection = {
      kind: bulk.kind,
      rows: (sql, parameters) =>
        isDead ? Promise.reject(new Error('killed')) : bulk.rows(sql, parameters),
      async write(work) {
        if (isDead) throw new Error('killed');
        const result = await bulk.write(work);
        // What it found has been put right by that.
        isDead = (await standing(db))['USD order:0']?.net === 9_710;
        return result;
      },
    };
    const { tolerance, slaDays, aliases, contracts } = defaultPolicy;
    const policy = { tolerance, slaDays, aliases, contracts, now: NOW, complete: true };
    const worker = inProcessWorker({
      ...{ bulk: dying, now: () => NOW, hash: sha256, chunkRows: 3, surveyFrom: 1, rangeRows: 5 },
    });
    const rules = `${RULES_VERSION} one`;
    const request = { kind: 'full' as const, environment, policy, rules, holder: 'dies' };
    await expect(worker.run(request)).rejects.toThrow('killed');
    expect(counters.read('reconciliation-differs')).toBe(0);
    const later = { now: NOW + 60_000 };
    expect(await recompute(later).dirty()).toMatchObject({ state: 'done', full: true });
    const alarm = { event: 'reconciliation-differs', fields: { count: 1 } };
    expect(logged.find(({ event }) => event === alarm.event)).toMatchObject(alarm);
    // Once it was said, it is said no more.
    expect(await recompute(later).full()).toMatchObject({ state: 'done', unexplained: 0 });
    expect(counters.read('reconciliation-differs')).toBe(1);
  });

  test('exceptions that nothing explains raise an alarm, also of orders that are paid, and go', async () => {
    const { db, recompute } = await open();
    const list = [settle('1'), settle('2', { fundings: [] }), settle('3')];
    await book(db, list);
    await recompute().dirty();
    const strays = ['order:1', 'order:2', 'order:of nobody'];
    await db
      .insertInto('order_exceptions')
      .values(strays.map((key) => exceptionRow({ order_key: key })))
      .execute();
    expect(await recompute().full()).toMatchObject({ changed: 3, unexplained: 3 });
    expect(await standing(db)).toEqual(ruled(list, { ...defaultPolicy, now: NOW, complete: true }));
    const left = await db.selectFrom('order_exceptions').select('order_key').execute();
    expect(left).toEqual([{ order_key: 'order:2' }]);
    expect(await recompute().full()).toMatchObject({ changed: 0, unexplained: 0 });
  });

  test('lines that change while they are computed leave a mark, and are computed again', async () => {
    const { db, bulk, recompute } = await open();
    await book(db, [settle('1', { fundings: [] })]);
    let changed = false;
    const meddled: BulkConnection = {
      kind: bulk.kind,
      write: (work) => bulk.write(work),
      async rows(sql, parameters) {
        const rows = await bulk.rows(sql, parameters);
        if (!changed && sql.includes('wanted cross join ledger_lines')) {
          changed = true;
          await book(db, [settle('1')]);
          await mark(db, ['order:1']);
        }
        return rows;
      },
    };
    await recompute({ workshop: { bulk: meddled } }).dirty();
    expect(changed).toBe(true);
    expect(await db.selectFrom('dirty_orders').select('order_key').execute()).toHaveLength(1);
    await recompute().dirty();
    expect((await standing(db))['USD order:1']?.headline).toBe('FUNDED');
  });

  test('lines that change while all is checked are no alarm', async () => {
    const { db, bulk, recompute, logged } = await open();
    await book(db, [settle('1'), settle('2', { fundings: [] })]);
    await recompute().dirty();
    let looks = 0;
    const meddled: BulkConnection = {
      kind: bulk.kind,
      write: (work) => bulk.write(work),
      async rows(sql, parameters) {
        const rows = await bulk.rows(sql, parameters);
        // The check has read the marks, after what was known to have changed, and not yet the lines.
        if (sql.includes('d.generation') && ++looks === 2) {
          await book(db, [settle('1', { fundings: [] }), settle('2')]);
          await mark(db, ['order:1', 'order:2']);
        }
        return rows;
      },
    };
    const check = await recompute({ workshop: { bulk: meddled } }).full();
    expect(check).toMatchObject({ full: true, changed: 2, unexplained: 0 });
    expect(logged.map(({ event }) => event)).not.toContain('reconciliation-differs');
  });

  test('an order that is paid in one of its currencies alone is counted once in each', async () => {
    const { db, recompute } = await open();
    const { ledger } = settle('2');
    const list = [settle('1'), settle('1', { currency: 'EUR', ledger, fundings: [] })];
    await book(db, list);
    expect(await recompute().full()).toMatchObject({ judged: 2, changed: 2 });
    expect(await standing(db)).toEqual(ruled(list, { ...defaultPolicy, now: NOW, complete: true }));
  });

  test('a funding whose currency is not known is in no order and no sum', async () => {
    const { db, recompute } = await open();
    await book(db, [
      settle('1'),
      settle('1', { currency: '', ledger: [] }),
      settle('2', { currency: '', ledger: [] }),
    ]);
    await recompute().dirty();
    expect(Object.keys(await standing(db))).toEqual(['USD order:1']);
  });

  test('while a record of an order is in no sum, nothing of the order is called missing', async () => {
    const { db, recompute } = await open();
    const unpaid = { fundings: [] };
    await book(db, [
      settle('1', unpaid),
      settle('2', unpaid),
      settle('3', unpaid),
      // Settled in two currencies, so that nobody knows in which one it is funded.
      { ...settle('2', unpaid), currency: 'EUR', ledger: settle('e').ledger },
      settle('2', { currency: '', ledger: [] }),
    ]);
    const { id, reason, raw } = { id: 'f-1', reason: 'netAmount: amount-invalid', raw: '{}' };
    const quarantined = { environment, id, slice_day: '2026-11-01', order_key: 'order:1' };
    await db
      .insertInto('funding_quarantine')
      .values({ ...quarantined, reason, raw, seen_at: NOW })
      .execute();
    await recompute().dirty();
    const headlines = async () =>
      Object.entries(await standing(db)).map(([place, { headline }]) => `${place} ${headline}`);
    expect((await headlines()).sort()).toEqual([
      'EUR order:2 AWAITING_FUNDING',
      'USD order:1 AWAITING_FUNDING',
      'USD order:2 AWAITING_FUNDING',
      'USD order:3 MISSING_AT_LENDER',
    ]);
    expect(await recompute().full()).toMatchObject({ unexplained: 0 });
    await db.deleteFrom('funding_quarantine').execute();
    await mark(db, ['order:1']);
    await recompute().dirty();
    expect(await headlines()).toContain('USD order:1 MISSING_AT_LENDER');
  });

  test('an order that is too large to be summed exactly has no status, and is told of', async () => {
    const { counters, db, recompute, logged } = await open();
    const huge = settle('1');
    const amount = Number.MAX_SAFE_INTEGER;
    const fundings = [1, 2].map((n) => ({
      ...settle('1').fundings[0],
      id: `f${n}`,
      transactionAmount: amount,
    }));
    // Each line of it is paid in full, but what is paid together cannot be said.
    const paid = ['3a', '3b'].map((key) => {
      const { ledger, fundings } = settle(key);
      const whole = { transactionAmount: amount, discountAmount: 0, netAmount: amount };
      return {
        ledger: ledger.map((line) => ({ ...line, amount })),
        fundings: fundings.map((line) => ({ ...line, ...whole })),
      };
    });
    const together = {
      ledger: paid.flatMap(({ ledger }) => ledger),
      fundings: paid.flatMap(({ fundings }) => fundings),
    };
    await book(db, [
      settle('2'),
      { ...huge, fundings: fundings as BookedOrder['fundings'] },
      settle('3', together),
    ]);
    expect(await recompute().dirty()).toMatchObject({ failed: 2 });
    expect(Object.keys(await standing(db))).toEqual(['USD order:2']);
    expect(logged).toContainEqual(expect.objectContaining({ event: 'reconciliation-not-judged' }));
    expect(counters.read('reconciliation-not-judged')).toBe(1);
  });

  test('orders of very many lines are read a few at a time, and each as a whole', async () => {
    const { db, bulk, recompute } = await open();
    const rows = Array.from({ length: 22_000 }, (_, at) => ({
      environment,
      id: `t:Settle:${at}`,
      order_key: `order:${at % 11}`,
      currency: 'USD',
      merchant_order_id: String(at % 11),
      type: 'Settle',
      amount: 1,
      occurred_at: NOW,
      transaction_id: String(at),
      source: 'import',
      created_at: NOW,
    }));
    for (let at = 0; at < rows.length; at += 1_000) {
      const part = rows.slice(at, at + 1_000);
      await db.insertInto('ledger_lines').values(part).execute();
    }
    let most = 0;
    const counted: BulkConnection = {
      kind: bulk.kind,
      write: (work) => bulk.write(work),
      async rows(sql, parameters) {
        const read = await bulk.rows(sql, parameters);
        most = Math.max(most, read.length);
        return read;
      },
    };
    const workshop = { bulk: counted, chunkRows: 100_000, rangeRows: undefined };
    expect(await recompute({ workshop }).full()).toMatchObject({ judged: 11, changed: 11 });
    expect(most).toBeLessThan(rows.length);
    const sums = await db.selectFrom('order_statuses').select('expected_settle').execute();
    expect(sums.map(({ expected_settle: sum }) => Number(sum))).toEqual(Array(11).fill(2_000));
  }, 30_000);

  test('a word in the place of very many order ids has no status, and keeps none from the others', async () => {
    const { db, recompute, logged } = await open();
    await book(db, [settle('1'), settle('2')]);
    await recompute().full();
    await sql`
      insert into ledger_lines (environment, id, order_key, currency, merchant_order_id, type,
        amount, occurred_at, transaction_id, source, created_at)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 50001)
      select ${environment}, 'word:' || n, 'order:1', 'USD', '1', 'Settle', 1,
        ${sql.lit(NOW)}, 'word-' || n, 'import', ${sql.lit(NOW)} from numbers`.execute(db);
    const other = { transaction_amount: 1, discount_amount: 0, net_amount: 1 };
    await db.updateTable('fundings').set(other).where('order_key', '=', 'order:2').execute();
    await mark(db, ['order:1', 'order:2']);
    expect(await recompute().dirty()).toMatchObject({ failed: 1, changed: 2 });
    expect(Object.keys(await standing(db))).toEqual(['USD order:2']);
    expect(logged).toContainEqual(expect.objectContaining({ event: 'reconciliation-not-judged' }));
    expect(await recompute().full()).toMatchObject({ failed: 1, changed: 0, unexplained: 0 });
    expect(await db.selectFrom('dirty_orders').select('order_key').execute()).toEqual([]);
  }, 30_000);

  test('two at a time: one leads, the other one helps or goes away, and all is computed once', async () => {
    const { db, recompute } = await open();
    const list = Array.from({ length: 40 }, (_, n) => settle(String(n).padStart(3, '0')));
    await book(db, list);
    const results = await Promise.all([
      recompute().full(),
      recompute().full(),
      recompute().dirty(),
    ]);
    expect(results.map(({ state }) => state)).toContain('done');
    expect(results.reduce((sum, { changed }) => sum + changed, 0)).toBe(40);
    expect(await standing(db)).toEqual(ruled(list, { ...defaultPolicy, now: NOW, complete: true }));
    expect(await db.selectFrom('leases').selectAll().execute()).toEqual([]);
  });

  test('who leads waits for the orders that another one has taken on, and keeps its lease', async () => {
    const { db, recompute } = await open();
    const list = Array.from({ length: 40 }, (_, n) => settle(String(n).padStart(3, '0')));
    await book(db, list);
    const at = { now: NOW };
    const heldFor: number[] = [];
    const others = db.updateTable('recompute_ranges').where('state', '=', 'open');
    async function pause(milliseconds: number): Promise<void> {
      if (milliseconds === 0 && heldFor.length === 0) {
        await others
          .where('holder', 'is', null)
          .set({ holder: 'another', until: NOW + DAY_MS })
          .execute();
      }
      if (milliseconds === 0) return;
      const lease = await db.selectFrom('leases').select('until').executeTakeFirstOrThrow();
      heldFor.push(Number(lease.until) - at.now);
      at.now += 20_000;
      // It dies, and what it had taken on is free.
      if (heldFor.length === 3) await others.set({ until: 0 }).execute();
    }
    const result = await recompute({ workshop: { now: () => at.now, pause } }).full();
    expect(result).toMatchObject({ state: 'done', changed: 40 });
    expect(heldFor).toHaveLength(3);
    expect(Math.min(...heldFor)).toBeGreaterThan(0);
    expect(Object.keys(await standing(db))).toHaveLength(40);
  });

  test('who comes while another one is at what changed goes away, and has done nothing', async () => {
    const { db, recompute } = await open();
    await book(db, [settle('1')]);
    await recompute().full();
    const lease = { name: `recompute:${environment}`, holder: 'another', until: NOW + 30_000 };
    await db.insertInto('leases').values(lease).execute();
    await mark(db, ['order:1']);
    expect(await recompute().dirty()).toMatchObject({ state: 'busy', judged: 0 });
    expect(await db.selectFrom('dirty_orders').selectAll().execute()).toHaveLength(1);
  });

  test('who judges by other rules than the one who leads helps it with nothing', async () => {
    const { db, recompute } = await open();
    await book(
      db,
      Array.from({ length: 40 }, (_, n) => settle(String(n).padStart(3, '0'))),
    );
    let chunks = 0;
    const stopping = recompute({ workshop: { stopped: () => ++chunks >= 4 } });
    expect(await stopping.full()).toMatchObject({ state: 'stopped' });
    const lease = { name: `recompute:${environment}`, holder: 'another', until: NOW + 30_000 };
    await db.insertInto('leases').values(lease).execute();
    const before = await standing(db);
    const other = recompute({ policyHash: 'two' });
    expect(await other.dirty()).toMatchObject({ state: 'busy', full: false, judged: 0 });
    expect(await standing(db)).toEqual(before);
    expect(await recompute().dirty()).toMatchObject({ state: 'helped' });
    expect(Object.keys(await standing(db)).length).toBeGreaterThan(Object.keys(before).length);
  });

  test('what is in the tables of another environment changes nothing, and is left as it is', async () => {
    const { db, recompute } = await open();
    await book(db, [settle('1'), settle('2', { fundings: [] })]);
    await recompute({ complete: false }).full();
    const other = { environment: 'production' };
    for (const table of ['fundings', 'ledger_lines', 'order_statuses'] as const) {
      const rows = await db.selectFrom(table).selectAll().execute();
      for (const row of rows)
        await db
          .insertInto(table)
          .values({ ...row, ...other })
          .execute();
    }
    await db
      .updateTable('order_statuses')
      .set({ headline: 'OTHER' })
      .where('environment', '=', 'production')
      .execute();
    await db
      .updateTable('fundings')
      .set({ id: 'another' })
      .where('environment', '=', 'production')
      .execute();
    const record = { ...other, id: '1', slice_day: '2026-03-01', order_key: 'order:2' };
    await db
      .insertInto('funding_quarantine')
      .values({ ...record, reason: 'no', raw: '{}', seen_at: 1 })
      .execute();
    await db
      .insertInto('dirty_orders')
      .values({ ...other, order_key: 'order:1', generation: 1 })
      .execute();
    const stands = () =>
      db
        .selectFrom('order_statuses')
        .select(['environment', 'order_key', 'headline'])
        .orderBy('environment')
        .orderBy('order_key')
        .execute();
    const theirs = ['1', '2'].map((key) => ({
      ...other,
      order_key: `order:${key}`,
      headline: 'OTHER',
    }));
    const mine = [
      { environment, order_key: 'order:1', headline: 'FUNDED' },
      { environment, order_key: 'order:2', headline: 'MISSING_AT_LENDER' },
    ];
    expect(await recompute().dirty()).toMatchObject({ changed: 1 });
    expect(await stands()).toEqual([...theirs, ...mine]);
    await mark(db, ['order:1', 'order:2']);
    expect(await recompute({ workshop: { surveyFrom: 9 } }).dirty()).toMatchObject({ changed: 0 });
    expect(await recompute().full()).toMatchObject({ changed: 0, unexplained: 0 });
    expect(await stands()).toEqual([...theirs, ...mine]);
    const marks = await db
      .selectFrom('dirty_orders')
      .select(['environment', 'order_key'])
      .execute();
    expect(marks).toEqual([{ ...other, order_key: 'order:1' }]);
  });

  test('while fundings are read, changes wait for the end after a pass, not before the first one', async () => {
    const { db, bulk, recompute } = await open();
    const until = NOW + 30_000;
    await db
      .insertInto('leases')
      .values({ name: fundingsLease(environment), holder: 'a sync', until })
      .execute();
    const list = Array.from({ length: 40 }, (_, n) => settle(String(n)));
    await book(db, list);
    let helped = 0;
    const helper = (task: ChunkTask) => {
      helped += 1;
      return examineChunk({ bulk, hash: sha256 }, task);
    };
    const job = recompute({ workshop: { helper } });
    expect(await job.dirty()).toMatchObject({ state: 'done', changed: 40 });
    expect(helped).toBe(0);
    await mark(db, ['order:1']);
    const marked = () => db.selectFrom('dirty_orders').selectAll().execute();
    expect(await job.dirty()).toMatchObject({ state: 'busy' });
    expect(await marked()).toHaveLength(1);
    const ends = [
      // As one that died leaves it, and as one that ended.
      () => db.updateTable('leases').set({ until: NOW }).where('holder', '=', 'a sync').execute(),
      () => db.deleteFrom('leases').where('holder', '=', 'a sync').execute(),
    ];
    for (const end of ends) {
      await end();
      await mark(db, ['order:1']);
      expect(await job.dirty()).toMatchObject({ state: 'done' });
      expect(await marked()).toEqual([]);
    }
  });

  test('chunks that a helper takes count as if this worker had done them', async () => {
    const { db, bulk, recompute } = await open();
    const list = Array.from({ length: 40 }, (_, n) => settle(String(n).padStart(3, '0')));
    await book(db, list);
    const tasks: ChunkTask[] = [];
    const helper = (task: ChunkTask) => {
      tasks.push(structuredClone(task));
      return examineChunk({ bulk, hash: sha256 }, task).then(structuredClone);
    };
    const result = await recompute({ workshop: { helper } }).full();
    expect(result).toMatchObject({ state: 'done', changed: 40, judged: 40 });
    expect(tasks.length).toBeGreaterThan(2);
    expect(await standing(db)).toEqual(ruled(list, { ...defaultPolicy, now: NOW, complete: true }));
    await mark(
      db,
      list.map(({ orderKey }) => orderKey),
    );
    const before = tasks.length;
    expect(await recompute({ workshop: { helper } }).dirty()).toMatchObject({ changed: 0 });
    expect(tasks.length).toBeGreaterThan(before);
    expect(await db.selectFrom('dirty_orders').selectAll().execute()).toEqual([]);
  });

  test('what a helper fails at fails the pass, and is done by the next one', async () => {
    const { db, recompute } = await open();
    const list = Array.from({ length: 40 }, (_, n) => settle(String(n).padStart(3, '0')));
    await book(db, list);
    const broken = recompute({
      workshop: { helper: () => Promise.reject(new Error('the disk is full')) },
    });
    await expect(broken.full()).rejects.toThrow('the disk is full');
    expect(await db.selectFrom('leases').selectAll().execute()).toEqual([]);
    expect(await recompute({ now: NOW + 60_000 }).dirty()).toMatchObject({ state: 'done' });
    expect(Object.keys(await standing(db))).toHaveLength(40);
  });

  test('a full pass that was given up is carried on by whoever comes next', async () => {
    const { db, recompute } = await open();
    const list = Array.from({ length: 40 }, (_, n) => settle(String(n).padStart(3, '0')));
    await book(db, list);
    let chunks = 0;
    const stopping = recompute({ workshop: { stopped: () => ++chunks >= 4 } });
    expect(await stopping.full()).toMatchObject({ state: 'stopped' });
    const done = Object.keys(await standing(db)).length;
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(40);
    // What changed meanwhile of those that are done is not left to yet another one.
    await book(db, [settle('000', { fundings: [] }), ...list.slice(1)]);
    await mark(db, ['order:000']);
    // The range it had taken is free again when its time is up.
    const later = NOW + 60_000;
    expect(await recompute({ now: later }).dirty()).toMatchObject({ state: 'done', full: true });
    expect(Object.keys(await standing(db))).toHaveLength(40);
    expect(await db.selectFrom('dirty_orders').selectAll().execute()).toEqual([]);
  });

  test('what is carried on is judged as of the moment it was begun, and with the data of then', async () => {
    const { db, recompute } = await open();
    const list = Array.from({ length: 40 }, (_, n) => {
      const order = settle(String(n).padStart(3, '0'), { fundings: [] });
      // Every other one is late only later.
      const occurredAt = NOW - (n % 2 === 0 ? 10 : 1) * DAY_MS;
      return { ...order, ledger: order.ledger.map((line) => ({ ...line, occurredAt })) };
    });
    await book(db, list);
    let chunks = 0;
    const stopping = recompute({ workshop: { stopped: () => ++chunks >= 4 } });
    expect(await stopping.full()).toMatchObject({ state: 'stopped' });
    const later = recompute({ now: NOW + 9 * DAY_MS, complete: false });
    expect(await later.full()).toMatchObject({ state: 'done', full: true });
    expect(await standing(db)).toEqual(ruled(list, { ...defaultPolicy, now: NOW, complete: true }));
  });

  test.each([
    ['all orders', false],
    ['some of them', true],
  ])('who was taken for dead and comes back writes nothing of %s', async (_of, isLater) => {
    const { db, bulk, recompute } = await open();
    if (isLater) await recompute().full();
    await book(db, [settle('1', { fundings: [] })]);
    await mark(db, ['order:1']);
    let taken = false;
    const slow: BulkConnection = {
      kind: bulk.kind,
      write: (work) => bulk.write(work),
      async rows(sql, parameters) {
        const rows = await bulk.rows(sql, parameters);
        if (!taken && sql.includes('wanted cross join ledger_lines')) {
          taken = true;
          await book(db, [settle('1')]);
          await mark(db, ['order:1']);
          await recompute({ now: NOW + 60_000 }).dirty();
        }
        return rows;
      },
    };
    expect(await recompute({ workshop: { bulk: slow } }).dirty()).toMatchObject({ state: 'busy' });
    expect((await standing(db))['USD order:1']?.headline).toBe('FUNDED');
  });

  test('who was taken for dead before it had begun leaves what another one has done', async () => {
    const { db, bulk, recompute } = await open();
    await book(db, [settle('1')]);
    const stands = async () => [
      await db.selectFrom('recomputes').selectAll().execute(),
      await db.selectFrom('recompute_ranges').selectAll().execute(),
    ];
    const done = Promise.withResolvers<unknown>();
    let taken = false;
    const slow: BulkConnection = {
      kind: bulk.kind,
      write: (work) => bulk.write(work),
      async rows(sql, parameters) {
        const rows = await bulk.rows(sql, parameters);
        if (!taken && sql.includes('from recomputes')) {
          taken = true;
          await recompute({ now: NOW + 60_000 }).full();
          done.resolve(await stands());
        }
        return rows;
      },
    };
    expect(await recompute({ workshop: { bulk: slow } }).full()).toMatchObject({ state: 'busy' });
    expect(await stands()).toEqual(await done.promise);
  });

  test('who helps with orders that another one has taken on by now writes nothing', async () => {
    const { db, bulk } = await open();
    await book(db, [settle('1')]);
    const place = { run: 'a run', ordinal: 1 };
    const row = { after_key: '', last_key: null, holder: 'the other', until: NOW, state: 'open' };
    const done = { orders: 0, changed: 0 };
    await db
      .insertInto('recompute_ranges')
      .values({ environment, ...place, ...row, ...done })
      .execute();
    const range = { ...place, after: '', last: undefined };
    const scope = { environment, kind: 'all' as const, after: '', last: undefined };
    const policy = { ...defaultPolicy, now: NOW, complete: true };
    const by = (name: string) => {
      const holder = { environment, name };
      return { scope, policy, holder, leads: false, range, isSurveyed: true };
    };
    const findings = await examineChunk({ bulk, hash: sha256 }, by('one'));
    const write = (name: string) =>
      writeFindings({ bulk, now: () => NOW }, by(name), findings, false);
    await expect(write('one')).rejects.toThrow(LeaseLostError);
    expect(await standing(db)).toEqual({});
    await write('the other');
    expect(Object.keys(await standing(db))).toEqual(['USD order:1']);
    // Nor of those that are done.
    await db.updateTable('recompute_ranges').set({ state: 'done' }).execute();
    await expect(write('the other')).rejects.toThrow(LeaseLostError);
  });
});
