import { Readable } from 'node:stream';
import { reconcileOrder } from '@financing-checkout/reconciliation-rules';
import { type Kysely, sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { createCounters } from '../../observe/counters.ts';
import { appendToLedger, type NewLedgerEntry } from '../../store/ledger.ts';
import type { Schema } from '../../store/schema.ts';
import { places } from '../places.fixture.ts';
import { defaultPolicy } from '../policy.ts';
import { readLines } from '../recompute/lines.ts';
import { createRecompute } from '../recompute/recompute.ts';
import { createLedgerImport, type LedgerImportOptions } from './ledger-import.ts';

const environment = 'sandbox';
const NOW = Date.UTC(2026, 2, 31, 12);

const entry = (change: Partial<NewLedgerEntry> = {}): NewLedgerEntry => ({
  environment,
  merchantOrderId: 'A-1001',
  chargeId: 'chg-1',
  type: 'Settle',
  amount: { value: 10_000, currency: 'USD' },
  merchantTransactionId: 'txn_1',
  transactionId: 'T-1',
  state: 'accepted',
  occurredAt: NOW,
  ...change,
});

const write = (db: Kysely<Schema>, ...entries: NewLedgerEntry[]) =>
  db.transaction().execute((tx) => appendToLedger(tx, entries, NOW));

const linesOf = (db: Kysely<Schema>) =>
  db.selectFrom('ledger_lines').select(['id', 'amount', 'source']).orderBy('id').execute();

const marks = async (db: Kysely<Schema>) => {
  const rows = await db
    .selectFrom('dirty_orders')
    .select('order_key')
    .orderBy('order_key')
    .execute();
  await db.deleteFrom('dirty_orders').execute();
  return rows.map(({ order_key: key }) => key);
};

describe.each(places)('ledger projection on %s', (_, open) => {
  test('settles and refunds that were accepted become lines, once', async () => {
    const { store, db } = await open();
    await write(
      db,
      entry({ type: 'Authorize', merchantTransactionId: 'txn_0' }),
      entry(),
      entry({
        type: 'Refund',
        amount: { value: 500, currency: 'USD' },
        merchantTransactionId: 'txn_2',
      }),
      entry({ type: 'Void', merchantTransactionId: 'txn_3' }),
      entry({ environment: 'production', merchantTransactionId: 'txn_4' }),
    );
    expect(await store.projectLedger(environment, NOW)).toMatchObject({ entries: 5, changed: 2 });
    expect(await linesOf(db)).toEqual([
      { id: 'm:Refund:txn_2', amount: 500, source: 'companion' },
      { id: 'm:Settle:txn_1', amount: 10_000, source: 'companion' },
    ]);
    expect(await marks(db)).toEqual(['order:A-1001']);
    expect(await store.projectLedger(environment, NOW)).toMatchObject({ entries: 0, changed: 0 });
    expect(await store.oldestLedgerLine(environment)).toBe(NOW);
    expect(await store.oldestLedgerLine('production')).toBeUndefined();
  });

  test('a settle that was requested with its charge is paid by the funding of its reference', async () => {
    const { store, db } = await open();
    const settle = entry({ transactionId: undefined, lenderReferenceId: 'lender-settle-1' });
    await write(db, entry({ type: 'Authorize', transactionId: undefined }), settle);
    await store.projectLedger(environment, NOW);
    // Of the same amount, so that only the reference says which of the two is paid.
    await write(
      db,
      entry({ merchantTransactionId: 'txn_2', transactionId: 'T-2', occurredAt: NOW - 1 }),
    );
    await store.projectLedger(environment, NOW);
    const read = await readLines(store.bulk, environment, ['order:A-1001']);
    const [order] = [...(read?.values() ?? [])];
    const funding = {
      ...{ id: 'F-1', status: 'RECONCILED', transactionType: 'Settle', lenderName: 'Quillmoor' },
      ...{ transactionAmount: 9_000, discountAmount: 0, netAmount: 9_000 },
      ...{ fundedAt: NOW, updatedAt: NOW, transactionId: 'T-of-the-service' },
    };
    const statusOf = (lenderReferenceId: string, transactionAmount: number) =>
      reconcileOrder(
        {
          merchantOrderId: 'A-1001',
          currency: 'USD',
          ledger: order?.ledger ?? [],
          fundings: [
            { ...funding, lenderReferenceId, transactionAmount, netAmount: transactionAmount },
          ],
        },
        { ...defaultPolicy, now: NOW + 30 * 86_400_000, complete: true },
      ).exceptions.map(({ code, amount }) => [code, amount]);
    // The other line is missing in both; by its reference the first one is short, and not unknown.
    expect(statusOf('lender-settle-1', 9_000)).toEqual([
      ['AMOUNT_MISMATCH', -1_000],
      ['MISSING_AT_LENDER', 10_000],
    ]);
    expect(statusOf('lender-settle-1', 10_000)).toEqual([['MISSING_AT_LENDER', 10_000]]);
    expect(statusOf('of another loan', 9_000)).not.toContainEqual(['AMOUNT_MISMATCH', -1_000]);
  });

  test.each([
    ['together', false],
    ['one after the other', true],
  ])('a later entry without the reference keeps it, projected %s', async (_, apart) => {
    const { store, db } = await open();
    await write(db, entry({ transactionId: undefined, lenderReferenceId: 'R-1' }));
    if (apart) await store.projectLedger(environment, NOW);
    await write(db, entry());
    await store.projectLedger(environment, NOW);
    const lines = await db
      .selectFrom('ledger_lines')
      .select(['transaction_id', 'lender_reference_id'])
      .execute();
    expect(lines).toEqual([{ transaction_id: 'T-1', lender_reference_id: 'R-1' }]);
  });

  test('of several entries of one transaction the last one holds', async () => {
    const { store, db } = await open();
    await write(db, entry({ state: 'unknown' }));
    await store.projectLedger(environment, NOW);
    expect(await linesOf(db)).toEqual([]);
    expect(await marks(db)).toEqual([]);
    await write(db, entry());
    await store.projectLedger(environment, NOW);
    expect(await linesOf(db)).toHaveLength(1);
    expect(await marks(db)).toEqual(['order:A-1001']);
    await write(db, entry({ state: 'absent' }));
    await store.projectLedger(environment, NOW);
    expect(await linesOf(db)).toEqual([]);
    expect(await marks(db)).toEqual(['order:A-1001']);
    // All of them at once.
    const one = { merchantTransactionId: 'txn_9' };
    await write(
      db,
      entry({ ...one, state: 'unknown' }),
      entry(one),
      entry({ ...one, state: 'absent' }),
    );
    expect(await store.projectLedger(environment, NOW)).toMatchObject({ changed: 0 });
  });

  test('what the companion did holds against what was imported of it', async () => {
    const { store, db } = await open();
    const place = { environment, id: 'import' };
    const line = (merchantTransactionId: string, amount: number) => ({
      ...{ merchantOrderId: 'A-1001', type: 'Settle' as const, currency: 'USD', occurredAt: NOW },
      merchantTransactionId,
      amount,
    });
    await store.beginImport(place, { action: 'add', source: 'import' }, NOW, NOW + 1_000);
    const lines = [line('txn_1', 10_000), line('txn_2', 1)];
    await store.stageLines(
      place,
      lines.map((it, at) => ({ number: at + 1, line: it })),
      NOW,
    );
    await store.decideImport(place, NOW);
    await store.applyStaged(place, 10, NOW, NOW);
    await write(db, entry({ transactionId: undefined }), entry({ merchantTransactionId: 'txn_2' }));
    const step = await store.projectLedger(environment, NOW);
    expect(step).toMatchObject({ differing: 1, changed: 1 });
    expect(await linesOf(db)).toEqual([
      { id: 'm:Settle:txn_1', amount: 10_000, source: 'import' },
      { id: 'm:Settle:txn_2', amount: 10_000, source: 'companion' },
    ]);
  });

  test.each(['before', 'after'])(
    'a file that knows only the service’s transaction, imported %s, tells of it once',
    async (when) => {
      const { store, db } = await open();
      const clock = { now: () => NOW, after: () => () => undefined };
      const imports = createLedgerImport({ environment, store, clock });
      const file = (amount: number) => {
        const line = { merchantOrderId: 'A-1001', type: 'settle', currency: 'USD' };
        const text = JSON.stringify({ ...line, amount, date: '2026-03-31', transactionId: 'T-1' });
        return Readable.from([Buffer.from(text)]);
      };
      if (when === 'before') await imports.run(file(10_000));
      await write(db, entry());
      await store.projectLedger(environment, NOW);
      await marks(db);
      const own = [{ id: 'm:Settle:txn_1', amount: 10_000, source: 'companion' }];
      expect(await linesOf(db)).toEqual(own);
      const expected = { errorCount: 0, added: 0, repeated: 1 };
      expect(await imports.run(file(10_000), { dryRun: true })).toMatchObject(expected);
      expect(await imports.run(file(10_000))).toMatchObject(expected);
      expect(await imports.run(file(9_000))).toMatchObject({
        applied: false,
        errors: [{ line: 1, code: 'line-contradicts' }],
      });
      expect(await linesOf(db)).toEqual(own);
      expect(await marks(db)).toEqual([]);
    },
  );

  describe.each(['before', 'after'])('a settle made with its charge, imported %s', (when) => {
    test.each([
      ['by the service’s name', { transactionId: 'T-1' }],
      ['by no name', {}],
    ])('%s, is in the books once', async (_, named) => {
      const { store, db } = await open();
      const clock = { now: () => NOW, after: () => () => undefined };
      const imports = createLedgerImport({ environment, store, clock });
      const file = (...changes: object[]) => {
        const line = { merchantOrderId: 'A-1001', type: 'settle', currency: 'USD' };
        const lines = changes.map((change) =>
          JSON.stringify({ ...line, amount: 10_000, date: '2026-03-30', ...named, ...change }),
        );
        return Readable.from([Buffer.from(lines.join('\n'))]);
      };
      if (when === 'before') await imports.run(file({}));
      // The service names no transaction of it.
      const made = { transactionId: undefined };
      await write(db, entry({ ...made, type: 'Authorize' }), entry(made));
      await store.projectLedger(environment, NOW);
      await marks(db);
      const own = { id: 'm:Settle:txn_1', amount: 10_000, source: 'companion' };
      expect(await linesOf(db)).toEqual([own]);
      for (const dryRun of [true, false]) {
        const report = await imports.run(file({}), { dryRun });
        expect(report).toMatchObject({ errorCount: 0, added: 0, repeated: 1 });
      }
      expect([await linesOf(db), await marks(db)]).toEqual([[own], []]);
      // Nothing else is taken for it.
      const others = [
        { type: 'refund' },
        { transactionId: 'T-2', amount: 9_999 },
        { transactionId: 'T-3', currency: 'EUR' },
        { transactionId: 'T-4', merchantOrderId: 'A-1002' },
        { merchantTransactionId: 'M-5', transactionId: 'T-5' },
      ];
      expect(await imports.run(file(...others))).toMatchObject({ added: 5, repeated: 0 });
    });
  });

  test('a settle made with its charge takes the place of no other line that was imported before', async () => {
    const { store, db } = await open();
    const clock = { now: () => NOW, after: () => () => undefined };
    const settle = { merchantOrderId: 'A-1001', type: 'settle', currency: 'USD', amount: 10_000 };
    const lines = [
      { ...settle, type: 'refund' },
      { ...settle, amount: 9_999 },
      { ...settle, currency: 'EUR' },
      { ...settle, merchantOrderId: 'A-1002' },
      { ...settle, merchantTransactionId: 'M-5' },
    ].map((line) => JSON.stringify({ ...line, date: '2026-03-30' }));
    const imports = createLedgerImport({ environment, store, clock });
    const file = Readable.from([Buffer.from(lines.join('\n'))]);
    expect(await imports.run(file)).toMatchObject({ added: 5 });
    const made = { transactionId: undefined };
    await write(db, entry({ ...made, type: 'Authorize' }), entry(made));
    const step = await store.projectLedger(environment, NOW);
    expect(step).toMatchObject({ changed: 1, differing: 0 });
    expect(await linesOf(db)).toHaveLength(6);
  });

  test('lines of another environment stay as they are, though all names are the same', async () => {
    const { store, db } = await open();
    const production = { environment: 'production' as const };
    const own = (amount: number) => ({ id: 'm:Settle:txn_1', amount, source: 'companion' });
    const clock = { now: () => NOW, after: () => () => undefined };
    const imports = createLedgerImport({ ...production, store, clock });
    const line = { merchantOrderId: 'A-1001', type: 'settle', currency: 'USD', amount: 10_000 };
    const told = JSON.stringify({ ...line, date: '2026-03-31', transactionId: 'T-1' });
    await imports.run(Readable.from([Buffer.from(told)]));
    await write(db, entry());
    await store.projectLedger(environment, NOW);
    expect(await linesOf(db)).toEqual([own(10_000), expect.objectContaining({ source: 'import' })]);
    await write(db, entry(production));
    // Where one has read to is not where the other has.
    await store.projectLedger(environment, NOW);
    expect(await store.projectLedger('production', NOW)).toMatchObject({ changed: 1 });
    await write(db, entry({ amount: { value: 9_000, currency: 'USD' } }));
    await store.projectLedger(environment, NOW);
    const amounts = (await linesOf(db)).map(({ amount }) => Number(amount)).sort((a, b) => a - b);
    expect(amounts).toEqual([9_000, 10_000]);
    await write(db, entry({ state: 'absent' }));
    await store.projectLedger(environment, NOW);
    expect(await linesOf(db)).toEqual([own(10_000)]);
  });

  test('a part settled later is not taken for another one of as much', async () => {
    const { store, db } = await open();
    const clock = { now: () => NOW, after: () => () => undefined };
    const imports = createLedgerImport({ environment, store, clock });
    await write(db, entry({ type: 'Authorize', merchantTransactionId: 'txn_0' }), entry());
    await store.projectLedger(environment, NOW);
    const line = { merchantOrderId: 'A-1001', type: 'settle', amount: 10_000, currency: 'USD' };
    const byHand = JSON.stringify({ ...line, date: '2026-03-31' });
    const report = await imports.run(Readable.from([Buffer.from(byHand)]));
    expect(report).toMatchObject({ added: 1, repeated: 0 });
  });

  test('a transaction without an exact amount becomes no line, and is counted', async () => {
    const { store, db } = await open();
    await write(db, entry({ amount: undefined }));
    expect(await store.projectLedger(environment, NOW)).toMatchObject({
      unreadable: 1,
      changed: 0,
    });
    expect(await linesOf(db)).toEqual([]);
  });

  test('what has no line is told of also when nobody hears that it was committed', async () => {
    const { store, db } = await open();
    await write(db, entry({ amount: undefined }));
    const told: unknown[] = [];
    const answers: ('lost' | 'heard')[] = ['lost', 'heard'];
    const recompute = createRecompute({
      environment,
      store: {
        bulk: store.bulk,
        async projectLedger(...asked) {
          const step = await store.projectLedger(...asked);
          if (answers.shift() === 'lost') throw new Error('Connection terminated unexpectedly');
          return step;
        },
      },
      worker: { run: () => Promise.reject(new Error('not asked')), close: () => Promise.resolve() },
      policy: defaultPolicy,
      policyHash: 'one',
      isComplete: () => Promise.resolve(true),
      clock: { now: () => NOW, after: () => () => undefined },
      logger: { log: (_level, event, fields) => void told.push([event, fields?.count]) },
      counters: createCounters(),
    });
    await expect(recompute.projectLedger()).rejects.toThrow('Connection terminated');
    expect(await recompute.projectLedger()).toBe(0);
    expect(told).toEqual([['ledger-entry-unreadable', 1]]);
  });

  test('two companions at once take turns', async () => {
    const { store, db, another } = await open();
    await write(
      db,
      ...Array.from({ length: 450 }, (_unused, n) => entry({ merchantTransactionId: `txn_${n}` })),
    );
    const other = another();
    const steps = await Promise.all(
      [store, other, store, other].map((it) => it.projectLedger(environment, NOW)),
    );
    expect(steps.reduce((sum, { changed }) => sum + changed, 0)).toBe(450);
    expect(await linesOf(db)).toHaveLength(450);
  });
});

describe('an import beside the projection of another companion, on PostgreSQL', () => {
  const settle = {
    merchantOrderId: 'A-1002',
    type: 'settle',
    amount: 10_000,
    currency: 'USD',
    date: new Date(NOW).toISOString(),
    transactionId: 'T-2',
  };
  const own = { merchantOrderId: 'A-1002', merchantTransactionId: 'txn_2', transactionId: 'T-2' };

  async function setUp() {
    const [, open] = places.find(([name]) => name === 'PostgreSQL') ?? [];
    if (open === undefined) throw new Error('There is no PostgreSQL.');
    const { store, db, another } = await open();
    const clock = { now: () => NOW, after: () => () => undefined };
    const imports = createLedgerImport({ environment, store: another(), clock });
    const run = (line: object, options: LedgerImportOptions = {}) =>
      imports.run(Readable.from([Buffer.from(JSON.stringify([line]))]), options);
    const project = () => store.projectLedger(environment, NOW);
    const waiting = async () => {
      const { rows } = await sql`select distinct l.pid from pg_locks l
        join pg_stat_activity a on a.pid = l.pid
        where not l.granted and a.datname = current_database()`.execute(db);
      return rows.length;
    };
    /**
     * Does two things, each in its transaction: the second when the first waits for the mark of an
     * order, and the first goes on when the second has ended or waits, too.
     */
    async function interleave(
      orderKey: string,
      first: () => Promise<unknown>,
      second: () => Promise<unknown>,
    ): Promise<void> {
      const [held, release] = [
        Promise.withResolvers<undefined>(),
        Promise.withResolvers<undefined>(),
      ];
      const holder = db.transaction().execute(async (tx) => {
        const mark = { environment, order_key: orderKey, generation: 1 };
        await tx.insertInto('dirty_orders').values(mark).execute();
        held.resolve(undefined);
        await release.promise;
      });
      await held.promise;
      const begun = first();
      await expect.poll(waiting).toBe(1);
      let hasEnded = false;
      const other = second().finally(() => (hasEnded = true));
      await expect.poll(async () => hasEnded || (await waiting()) > 1).toBe(true);
      release.resolve(undefined);
      await Promise.all([holder, begun, other]);
    }
    return { db, run, project, interleave };
  }

  test('does not count a settle twice that it knows by the name of the service alone', async () => {
    const { db, run, project, interleave } = await setUp();
    await write(db, entry(), entry(own));
    await interleave('order:A-1001', project, () => run(settle));
    expect((await linesOf(db)).filter(({ id }) => id !== 'm:Settle:txn_1')).toEqual([
      { id: 'm:Settle:txn_2', amount: 10_000, source: 'companion' },
    ]);
  });

  test('takes no line away that the companion comes to believe in meanwhile', async () => {
    const { db, run, project, interleave } = await setUp();
    const named = { ...settle, merchantTransactionId: 'txn_2' };
    await run(named);
    await marks(db);
    await interleave(
      'order:A-1002',
      () => run(named, { withdraw: true }),
      async () => {
        await write(db, entry(own));
        await project();
      },
    );
    expect(await linesOf(db)).toEqual([
      { id: 'm:Settle:txn_2', amount: 10_000, source: 'companion' },
    ]);
  });
});
