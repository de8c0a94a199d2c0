import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { defaultPolicy } from '../policy.ts';
import type { BulkConnection } from './bulk.ts';
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
import { benches, settle, withLines } from './recompute.fixture.ts';

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
});
