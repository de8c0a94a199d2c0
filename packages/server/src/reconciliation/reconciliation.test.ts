import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { charged, createCompanion, TestClock, WEBHOOK_SECRET } from '../companion.fixture.ts';
import { runRow } from '../fundings/books.fixture.ts';
import { Secret } from '../keys/secret.ts';
import { PrivateKey } from '../keys/private-key.ts';
import { KeyRing } from '../keys/key-ring.ts';
import { createMetrics } from '../node/metrics.ts';
import { createRecomputeWorker } from '../node/recompute-worker.ts';
import { sqliteDialect } from '../node/sqlite.ts';
import { createCounters } from '../observe/counters.ts';
import { createKyselyStore } from '../store/kysely-store.ts';
import type { Schema } from '../store/schema.ts';
import { createReconciliation, type ScheduledSync } from './index.ts';
import { createLedgerImport } from './ledger/ledger-import.ts';
import { exceptionRow } from './places.fixture.ts';
import { parsePolicy } from './policy.ts';
import { book, mark } from './recompute/orders.fixture.ts';
import type { RecomputeWorker } from './recompute/recompute.ts';

const DAY_MS = 86_400_000;

/** As a sync leaves it, but for when it was. */
const endedRun = {
  ...runRow,
  state: 'complete' as const,
  from_day: '2026-11-01',
  to_day: '2026-11-20',
};

/** A settle as a lender posts it, but for how much and when. */
const paid = {
  status: 'RECONCILED',
  transactionType: 'Settle',
  discountAmount: 0,
  lenderName: 'Meadow Credit',
};

/** A companion with reconciliation, over a file, and its background work. */
async function setUp(sync?: { every: number; job: ScheduledSync }) {
  const folder = mkdtempSync(join(tmpdir(), 'reconciliation-'));
  const file = join(folder, 'companion.db');
  const store = createKyselyStore({ dialect: sqliteDialect(file) });
  const clock = new TestClock();
  const told: { url: string; body: string }[] = [];
  const passes: string[] = [];
  const worker = createRecomputeWorker({ kind: 'sqlite', file }, store);
  const counted: RecomputeWorker = {
    run(request) {
      passes.push(request.kind);
      return worker.run(request);
    },
    close: () => worker.close(),
  };
  const reconciliation = await createReconciliation({
    environment: 'sandbox',
    store,
    policy: parsePolicy('{"alerts":{"amount":{"default":1}}}'),
    worker: counted,
    clock,
    sync,
    alerts: {
      target: { url: 'https://finance.example/', secret: new Secret(WEBHOOK_SECRET) },
      transport: (url, { body = '' }) => {
        told.push({ url, body });
        return Promise.resolve(new Response(null, { status: 204 }));
      },
      random: () => 0,
    },
  });
  const companion = await createCompanion({ store, clock, reconciliation }, {});
  await store.migrate();
  const db = new Kysely<Schema>({ dialect: sqliteDialect(file) });
  onTestFinished(async () => {
    await reconciliation.stop();
    await db.destroy();
    await store.close();
    rmSync(folder, { recursive: true });
  });
  return { ...companion, clock, db, passes, reconciliation, store, told, worker: counted };
}

/** Marks the days of the last month as read to the end. */
async function prove({ clock, db }: { clock: TestClock; db: Kysely<Schema> }): Promise<void> {
  for (let back = 0; back <= 31; back++) {
    await db
      .insertInto('funding_slices')
      .values({
        environment: 'sandbox',
        day: new Date(clock.now() - back * DAY_MS).toISOString().slice(0, 10),
        state: 'complete',
        run_id: 'run-1',
        passes: 2,
        pages: 1,
        overlap_rows: 0,
        rows: 0,
        changed: 0,
        gone: 0,
        quarantined: 0,
        sums: '{}',
        hash: '',
        zone: 'UTC',
        synced_at: clock.now(),
      })
      .execute();
  }
}

test('what the companion settles becomes an order, a case when it is not funded, and an alert', async () => {
  const all = await setUp();
  all.service.on('POST /v2/post-sale/charges', charged);
  await all.confirm(await all.open());
  await all.background.runOnce();
  const order = async () => {
    const { body } = await all.office('/reconciliation/orders/order%3Aorder-1001');
    return body as { currencies?: { status?: { headline: string } }[]; cases?: unknown[] };
  };
  expect((await order()).currencies?.[0]?.status?.headline).toBe('AWAITING_FUNDING');

  // Nothing is called missing while no day is proved to be read.
  all.clock.advance(30 * DAY_MS);
  await all.background.runOnce();
  expect((await order()).currencies?.[0]?.status?.headline).toBe('AWAITING_FUNDING');

  await prove(all);
  all.clock.advance(600_000);
  await all.reconciliation.catchUp();
  await all.background.runOnce();
  expect((await order()).currencies?.[0]?.status?.headline).toBe('MISSING_AT_LENDER');
  expect((await order()).cases).toMatchObject([{ code: 'MISSING_AT_LENDER', state: 'open' }]);
  expect(all.told.map(({ url }) => url)).toEqual(['https://finance.example/']);
  await all.background.runOnce();
  expect(all.told).toHaveLength(1);
  expect(all.shop.calls.every(({ body }) => !JSON.stringify(body).includes('case'))).toBe(true);
});

/** A settle that no lender has paid, and somebody who does not mind. */
async function withIgnored() {
  const all = await setUp();
  all.service.on('POST /v2/post-sale/charges', charged);
  await all.confirm(await all.open());
  all.clock.advance(30 * DAY_MS);
  await prove(all);
  await all.reconciliation.catchUp();
  const [{ id } = { id: '' }] = await all.store.findCases({ environment: 'sandbox', limit: 1 });
  const decision = { by: 'Ines', reason: 'the lender pays in December' };
  const path = `/reconciliation/cases/${id}/ignore`;
  await all.officePost(path, decision, { 'idempotency-key': 'k1' });
  return { all, id };
}

test('a case that somebody ignored stays so while data is there again and statuses are not yet of it', async () => {
  const { all, id } = await withIgnored();
  const slices = all.db.updateTable('funding_slices');

  // Midnight has passed: nothing is called missing until yesterday has been read to its end.
  await slices.set({ state: 'unproven' }).where('synced_at', '>', 0).execute();
  await all.reconciliation.catchUp();
  expect(await all.db.selectFrom('order_exceptions').select('code').execute()).toEqual([]);
  // A sync has read it and is not over, so that no pass begins.
  const sync = { name: 'fundings:sandbox', holder: 'a sync', until: all.clock.now() + 30_000 };
  await all.db.insertInto('leases').values(sync).execute();
  await slices.set({ state: 'complete' }).where('synced_at', '>', 0).execute();
  expect(await all.reconciliation.catchUp()).toMatchObject({ closed: 0 });
  await all.db.deleteFrom('leases').execute();
  expect(await all.reconciliation.catchUp()).toMatchObject({ reopened: 0 });
  expect(await all.store.findCase('sandbox', id)).toMatchObject({ state: 'ignored' });
});

test('a case that somebody ignored stays so when data is found missing while cases are followed', async () => {
  const { all, id } = await withIgnored();

  const { store, worker, clock } = all;
  const policy = parsePolicy('{}');
  const another = await createReconciliation({
    ...{ environment: 'sandbox', store, worker, clock },
    policy,
  });
  const read = store.exceptions.bind(store);
  vi.spyOn(store, 'exceptions').mockImplementationOnce(async (...place) => {
    // A day is to be read again, and another companion has judged by that before this one goes on.
    const slices = all.db.updateTable('funding_slices').set({ state: 'stale' });
    await slices.where('synced_at', '>', 0).execute();
    await another.catchUp();
    return read(...place);
  });
  expect(await all.reconciliation.catchUp()).toMatchObject({ closed: 0 });
  expect(await all.db.selectFrom('order_exceptions').select('code').execute()).toEqual([]);
  await all.db
    .updateTable('funding_slices')
    .set({ state: 'complete' })
    .where('synced_at', '>', 0)
    .execute();
  expect(await all.reconciliation.catchUp()).toMatchObject({ reopened: 0 });
  expect(await store.findCase('sandbox', id)).toMatchObject({ state: 'ignored' });
});

test('a case about too much and too little stays ignored while it is not known what is late', async () => {
  const all = await setUp();
  all.clock.advance(30 * DAY_MS);
  const at = all.clock.now() - 20 * DAY_MS;
  const line = { type: 'Settle' as const, amount: 10_000, occurredAt: at };
  const funding = { ...paid, fundedAt: at + DAY_MS, updatedAt: at + DAY_MS };
  const parts = [
    { id: 'one', transactionId: 't-1' },
    { id: 'two', transactionId: 't-2' },
  ];
  const [more, less] = [15_000, 6_000];
  const ledger = parts.map((part) => ({ ...line, ...part }));
  const fundings = parts.map((part, index) => {
    const transactionAmount = index === 0 ? more : less;
    return { ...funding, ...part, transactionAmount, netAmount: transactionAmount };
  });
  await book(all.db, [{ orderKey: 'order:A-1', currency: 'USD', ledger, fundings }]);
  await prove(all);
  await all.reconciliation.catchUp();
  const findCase = async () => {
    const found = await all.store.findCases({ environment: 'sandbox', limit: 10 });
    return found.find(({ code }) => code === 'AMOUNT_MISMATCH');
  };
  const { id, amount } = (await findCase()) ?? { id: '', amount: 0 };
  expect(amount).toBe(1_000);
  const decision = { by: 'Ines', reason: 'agreed with the lender' };
  await all.officePost(`/reconciliation/cases/${id}/ignore`, decision, { 'idempotency-key': 'k1' });
  const slices = all.db.updateTable('funding_slices');
  for (const state of ['unproven', 'complete'] as const) {
    await slices.set({ state }).where('synced_at', '>', 0).execute();
    expect(await all.reconciliation.catchUp()).toMatchObject({ reopened: 0, changed: 0 });
    expect(await findCase()).toMatchObject({ state: 'ignored', amount: 1_000 });
  }
  // What it is about changes meanwhile: then it is another one, whatever is known to be late.
  await slices.set({ state: 'unproven' }).where('synced_at', '>', 0).execute();
  await all.db
    .updateTable('fundings')
    .set({ transaction_amount: 16_000, net_amount: 16_000 })
    .where('id', '=', 'one')
    .execute();
  await mark(all.db, ['order:A-1']);
  expect(await all.reconciliation.catchUp()).toMatchObject({ reopened: 1 });
});

test('a sync takes place at its interval, and not before', async () => {
  let runs = 0;
  const job = {
    runDue: () => {
      runs += 1;
      return Promise.resolve();
    },
  };
  const { background, clock } = await setUp({ every: 3_600_000, job });
  await background.runOnce();
  await background.runOnce();
  expect(runs).toBe(1);
  clock.advance(3_599_999);
  await background.runOnce();
  expect(runs).toBe(1);
  clock.advance(1);
  await background.runOnce();
  expect(runs).toBe(2);
});

test.each([
  ['whose process died is taken up when nobody reads it any more', {}, 1],
  ['that somebody asked for is his', { tiers: 0 }, 0],
  ['that ends its process again and again waits for its interval', { resumed: 3 }, 0],
  ['that has ended waits for its interval', { state: 'complete' as const }, 0],
])('a sync %s', async (_, change, expected) => {
  let runs = 0;
  const job = { runDue: () => Promise.resolve(void (runs += 1)) };
  const { background, clock, db } = await setUp({ every: 3_600_000, job });
  const begun = { ...endedRun, state: 'running' as const, tiers: 1, started_at: clock.now() };
  await db
    .insertInto('funding_runs')
    .values({ ...begun, id: 'run-1', ...change })
    .execute();
  const lease = { name: 'fundings:sandbox', holder: 'it', until: clock.now() + 30_000 };
  await db.insertInto('leases').values(lease).execute();
  await background.runOnce();
  expect(runs).toBe(0);
  clock.advance(60_000);
  await background.runOnce();
  await background.runOnce();
  expect(runs).toBe(expected);
  clock.advance(3_600_000);
  await background.runOnce();
  expect(runs).toBe(expected + 1);
});

test.each([
  ['is there again at once', false],
  ['is away for longer', true],
])('a sync that the store fails in the middle is taken up when that %s', async (_, isAway) => {
  const rounds: (() => Promise<unknown>)[] = [];
  const job = { runDue: () => (rounds.shift() ?? unexpected)().then(() => undefined) };
  const unexpected = () => Promise.reject(new Error('It is not due.'));
  const { background, clock, db, store } = await setUp({ every: DAY_MS, job });
  const started_at = clock.now();
  rounds.push(async () => {
    const begun = { ...endedRun, id: 'run-1', state: 'running' as const, tiers: 1, started_at };
    await db.insertInto('funding_runs').values(begun).execute();
    if (isAway) vi.spyOn(store, 'syncRuns').mockRejectedValueOnce(new Error('The store is away.'));
  });
  await background.runOnce().catch(() => undefined);
  clock.advance(59_999);
  await background.runOnce();
  rounds.push(() => db.updateTable('funding_runs').set({ state: 'complete' }).execute());
  clock.advance(1);
  await background.runOnce();
  expect(rounds).toEqual([]);
  clock.advance(DAY_MS - 1);
  await background.runOnce();
  rounds.push(() => Promise.resolve());
  clock.advance(1);
  await background.runOnce();
  expect(rounds).toEqual([]);
});

test('a clock that was ahead, and is set back, keeps no sync waiting', async () => {
  let runs = 0;
  const job = { runDue: () => Promise.resolve(void (runs += 1)) };
  const { background, clock, db } = await setUp({ every: 3_600_000, job });
  const ahead = clock.now() + 365 * DAY_MS;
  clock.advance(365 * DAY_MS);
  await background.runOnce();
  expect(runs).toBe(1);
  await db
    .insertInto('funding_runs')
    .values({ ...endedRun, id: 'run-1', started_at: ahead, ended_at: ahead })
    .execute();
  clock.advance(-365 * DAY_MS);
  await background.runOnce();
  expect(runs).toBe(2);
  await background.runOnce();
  expect(runs).toBe(2);
});

test('while nothing changes nothing is computed; a settled charge is, at once', async () => {
  const all = await setUp();
  await all.background.runOnce();
  const before = all.passes.length;
  for (let round = 0; round < 5; round++) {
    all.clock.advance(1_000);
    await all.background.runOnce();
  }
  expect(all.passes).toHaveLength(before);
  all.service.on('POST /v2/post-sale/charges', charged);
  await all.confirm(await all.open());
  await all.background.runOnce();
  expect(all.passes).toHaveLength(before + 1);
  const statuses = await all.db.selectFrom('order_statuses').selectAll().execute();
  expect(statuses).toMatchObject([{ order_key: 'order:order-1001' }]);
});

test('all is checked once a day, however often the companion is started, and later when it cannot be', async () => {
  const all = await setUp();
  const checks = () => all.passes.filter((kind) => kind === 'full').length;
  const run = { run: 'a', rules: 'other', complete: 1, is_check: 0, state: 'complete' as const };
  const times = { now: all.clock.now(), started_at: all.clock.now(), finished_at: all.clock.now() };
  await all.db
    .insertInto('recomputes')
    .values({ environment: 'sandbox', ...run, ...times })
    .execute();
  all.clock.advance(DAY_MS - 3_600_000);
  const again = await createReconciliation({
    environment: 'sandbox',
    store: all.store,
    policy: all.reconciliation.policy,
    worker: all.worker,
    clock: all.clock,
  });
  const [, check] = again.work;
  if (!check) throw new Error('Nothing is checked.');
  await check();
  all.clock.advance(600_000);
  await check();
  expect(checks()).toBe(0);
  // Another companion is at it.
  const lease = { name: 'recompute:sandbox', holder: 'another', until: Date.now() + 3_600_000 };
  await all.db.insertInto('leases').values(lease).execute();
  all.clock.advance(3_000_000);
  await check();
  await check();
  expect(checks()).toBe(1);
  await all.db.deleteFrom('leases').execute();
  all.clock.advance(600_000);
  await check();
  expect(checks()).toBe(2);
  all.clock.advance(DAY_MS - 1);
  await check();
  expect(checks()).toBe(2);
  all.clock.advance(1);
  await check();
  expect(checks()).toBe(3);
});

test('once a day fundings are priced by what the ledger says by then, before all is checked', async () => {
  const all = await setUp();
  const { clock, store, worker, passes } = all;
  const before: string[][] = [];
  const { work } = await createReconciliation({
    ...{ environment: 'sandbox', store, policy: parsePolicy('{}'), worker, clock },
    reprice: () => {
      before.push([...passes]);
      return before.length === 1 ? Promise.reject(new Error('locked')) : Promise.resolve(0);
    },
  });
  await work[1]?.();
  expect(before).toEqual([]);
  clock.advance(600_000);
  await expect(work[1]?.()).rejects.toThrow('locked');
  expect(passes).toEqual(['full']);
  clock.advance(DAY_MS);
  await work[1]?.();
  expect(before).toEqual([[], ['full']]);
  expect(passes).toEqual(['full', 'full']);
});

test('metrics tell what is open by kind, and how many days are not proved', async () => {
  const all = await setUp();
  await all.db
    .insertInto('order_exceptions')
    .values([
      exceptionRow(),
      exceptionRow({ order_key: 'order:2', currency: 'JPY' }),
      exceptionRow({ order_key: 'order:3' }),
    ])
    .execute();
  const metrics = createMetrics({
    keys: new KeyRing([new PrivateKey('sk-0123456789abcdef')], {}),
    counters: createCounters(),
    store: all.store,
    version: '0.0.0',
    environment: 'sandbox',
  });
  const { text } = await metrics.render();
  const name = 'financing_reconciliation_open_exceptions';
  expect(text).toContain(`${name}{code="AMOUNT_MISMATCH",currency="USD"} 2`);
  expect(text).toContain(`${name}{code="AMOUNT_MISMATCH",currency="JPY"} 1`);
  expect(text).toContain('financing_reconciliation_unproven_days 0');
});

test('while a sync reads, what changed waits for up to a minute; once it has ended, no more', async () => {
  const all = await setUp();
  await all.background.runOnce();
  const before = all.passes.length;
  await all.db
    .insertInto('funding_runs')
    .values({ ...endedRun, id: 'run-1', state: 'running', started_at: all.clock.now() })
    .execute();
  all.service.on('POST /v2/post-sale/charges', charged);
  await all.confirm(await all.open());
  await all.background.runOnce();
  expect(all.passes).toHaveLength(before);
  all.clock.advance(60_000);
  await all.background.runOnce();
  expect(all.passes).toHaveLength(before + 1);
  await all.confirm(await all.open('key-2', { merchantOrderId: 'order-1002' }));
  await all.background.runOnce();
  expect(all.passes).toHaveLength(before + 1);
  await all.db.updateTable('funding_runs').set({ state: 'complete' }).execute();
  await all.background.runOnce();
  expect(all.passes).toHaveLength(before + 2);
});

test('whoever ends it waits for one transaction, and nothing begins any more', async () => {
  const { db, passes, reconciliation, store } = await setUp();
  const rows = Array.from({ length: 450 }, (_, index) =>
    exceptionRow({ order_key: `order:${index}` }),
  );
  // The first pass is of all orders, and takes away what none of them explains.
  await reconciliation.catchUp();
  await db.insertInto('order_exceptions').values(rows).execute();
  const read = store.exceptions.bind(store);
  let ended: Promise<void> | undefined;
  vi.spyOn(store, 'exceptions').mockImplementation((...page) => {
    ended ??= reconciliation.stop();
    return read(...page);
  });
  expect(await reconciliation.catchUp()).toMatchObject({ opened: 200, closed: 0 });
  await ended;
  const before = passes.length;
  expect(await reconciliation.catchUp()).toMatchObject({ opened: 0 });
  expect(passes).toHaveLength(before);
  const cases = await db.selectFrom('cases').select('id').execute();
  expect(cases).toHaveLength(200);
});

test.each(['while it is applied', 'and has ended since'])(
  'an import that begins while orders are judged: no case of half of its lines, %s',
  async (when) => {
    const all = await setUp();
    const { clock, db, store, worker } = all;
    await prove(all);
    const occurredAt = clock.now() - 20 * DAY_MS;
    const [amount, merchantOrderId, currency] = [500, 'A', 'USD'];
    const ids = ['M1', 'M2'];
    const fundings = ids.map((merchantTransactionId) => ({
      ...{ ...paid, id: merchantTransactionId, merchantTransactionId },
      ...{ transactionAmount: amount, netAmount: amount },
      ...{ fundedAt: occurredAt, updatedAt: occurredAt },
    }));
    const place = { environment: 'sandbox', id: 'at-once' } as const;
    const until = clock.now() + 60_000;
    const apply = () => store.applyStaged(place, 1, clock.now(), until);
    const begin = async () => {
      await book(db, [{ orderKey: 'order:A', currency, ledger: [], fundings }]);
      const lines = ids.map((merchantTransactionId, at) => ({
        number: at + 1,
        line: {
          ...{ merchantOrderId, type: 'Settle' as const, amount, currency, occurredAt },
          merchantTransactionId,
        },
      }));
      await store.beginImport(place, { action: 'add', source: 'import' }, clock.now(), until);
      await store.stageLines(place, lines, until);
      await store.decideImport(place, until);
      await apply();
    };
    const end = async () => {
      while ((await apply()) !== undefined);
      await store.endImport(place, clock.now());
    };
    let passes = 0;
    const reconciliation = await createReconciliation({
      ...{ environment: 'sandbox', store, clock, policy: parsePolicy('{}') },
      worker: {
        ...worker,
        async run(request) {
          passes += 1;
          if (passes === 1) await begin();
          const result = await worker.run(request);
          if (passes === 1 && when === 'and has ended since') await end();
          return result;
        },
      },
    });
    expect(await reconciliation.catchUp()).toMatchObject({ opened: 0 });
    const codes = () => db.selectFrom('order_exceptions').select('code').execute();
    expect(await codes()).toEqual([{ code: 'LINE_NOT_IN_LEDGER' }]);
    if (when === 'while it is applied') {
      expect(await reconciliation.catchUp()).toMatchObject({ opened: 0 });
      await end();
    }
    await reconciliation.work[0]?.();
    expect(await codes()).toEqual([]);
    expect(await db.selectFrom('cases').selectAll().execute()).toEqual([]);
  },
);

test('an import that was cut off is carried through before anything is judged by half of it', async () => {
  const all = await setUp();
  const { clock, db, store, worker, told } = all;
  await prove(all);
  const environment = 'sandbox';
  const reconciliation = await createReconciliation({
    ...{ environment, store, policy: parsePolicy('{}'), worker, clock },
    ledgerImport: createLedgerImport({ environment, store, clock }),
  });
  const keepUp = () => reconciliation.work[0]?.();
  await keepUp();
  // Half of it: the refund of what is settled in the other half.
  const occurredAt = clock.now() - 20 * DAY_MS;
  const line = { merchantOrderId: 'A', amount: 500, currency: 'USD', occurredAt };
  const staged = (['Refund', 'Settle'] as const).map((type, at) => ({
    ...{ number: at + 1, line: { ...line, type, merchantTransactionId: `M-${type}` } },
  }));
  const place = { environment, id: 'cut-off' };
  const until = clock.now() + 60_000;
  await store.beginImport(place, { action: 'add', source: 'import' }, clock.now(), until);
  await store.stageLines(place, staged, until);
  await store.decideImport(place, until);
  await store.applyStaged(place, 1, clock.now(), until);
  const statuses = () => db.selectFrom('order_statuses').select('expected_settle').execute();
  for (let second = 0; second < 60; second++) {
    await keepUp();
    clock.advance(1_000);
  }
  expect(await statuses()).toEqual([]);
  clock.advance(1_000);
  await keepUp();
  expect(await statuses()).toEqual([{ expected_settle: 500 }]);
  const cases = await db.selectFrom('cases').select('code').orderBy('code').execute();
  expect(cases.map(({ code }) => code)).toEqual(['MISSING_AT_LENDER', 'REFUND_NOT_TAKEN']);
  expect(told).toEqual([]);
  await keepUp();
  expect(await statuses()).toHaveLength(1);
});

test('an import that cannot be carried through keeps no case waiting, and is heard of', async () => {
  const { clock, db, store, worker } = await setUp();
  const reconciliation = await createReconciliation({
    ...{ environment: 'sandbox', store, policy: parsePolicy('{}'), worker, clock },
    ledgerImport: {
      resume: () => Promise.reject(new Error('it cannot be carried through')),
    },
  });
  await expect(reconciliation.catchUp()).rejects.toThrow('it cannot be carried through');
  await db.insertInto('order_exceptions').values(exceptionRow()).execute();
  await expect(reconciliation.catchUp()).rejects.toThrow('it cannot be carried through');
  expect(await db.selectFrom('cases').select('state').execute()).toEqual([{ state: 'open' }]);
});
