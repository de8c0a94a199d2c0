import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { bookPlaces, type OpenBooks } from './books.fixture.ts';
import { type FundingBooks, LeaseLostError } from './books.ts';
import { Calendar } from './calendar.ts';
import {
  digest,
  type HistoryService,
  historyService,
  seeded,
  wireHistory,
  wireRecord,
  type WireRecord,
} from './history.fixture.ts';
import { reprice, repriceAll } from './reprice.ts';
import { defaultSyncSettings } from './settings.ts';
import { runSync, SyncBusyError, type SyncOptions } from './sync.ts';
import { createWindows, type FetchPage } from './window.ts';

const from = '2026-03-01';
const to = '2026-03-05';
const range = { from, to };

function options(
  open: Pick<OpenBooks, 'books'>,
  service: Pick<HistoryService, 'fetchPage'>,
  change: Partial<SyncOptions> = {},
): SyncOptions {
  const settings = {
    ...defaultSyncSettings,
    defaultCurrency: 'USD',
    pageSize: 20,
    overlap: 3,
    batchRows: 7,
    ...change.settings,
  };
  return {
    environment: 'sandbox',
    books: open.books,
    windows: createWindows({ fetchPage: service.fetchPage, digest, settings }),
    digest,
    holder: 'one',
    ...change,
    settings,
  };
}

/** What is held of each record, by the lender's reference. */
async function held({ db }: OpenBooks) {
  return db
    .selectFrom('fundings')
    .select([
      'lender_reference_id as reference',
      'slice_day as day',
      'order_key',
      'status',
      'version',
      'transaction_amount as amount',
      'currency',
    ])
    .orderBy('id')
    .execute();
}

/** What should be held of it. */
function truth(records: readonly WireRecord[]) {
  return records
    .map((record) => ({
      reference: String(record.lenderReferenceId),
      day: record.fundedAt.slice(0, 10),
      amount: Math.round(Number(record.transactionAmount) * 100),
    }))
    .sort(byReference);
}

const byReference = (one: { reference: string | null }, other: { reference: string | null }) =>
  String(one.reference) < String(other.reference) ? -1 : 1;

async function facts(open: OpenBooks) {
  const rows = await held(open);
  return rows
    .map(({ reference, day, amount }) => ({ reference, day, amount: Number(amount) }))
    .sort(byReference);
}

async function dirtyKeys({ db }: OpenBooks): Promise<string[]> {
  const rows = await db.selectFrom('dirty_orders').select('order_key').execute();
  return rows.map((row) => row.order_key).sort();
}

describe.each(bookPlaces)('on %s', (_, openPlace) => {
  test.each([
    ['came to its end', undefined],
    ['failed', 'The day is not written.'],
  ])('a sync that %s is told so, though its lease could not be given back', async (_, reason) => {
    const open = await openPlace();
    const books: FundingBooks = {
      ...open.books,
      releaseLease: () => Promise.reject(new Error('The database is away.')),
      ...(reason && { slices: () => Promise.reject(new Error(reason)) }),
    };
    const service = historyService(wireHistory(20, from, 5));
    const run = runSync(options({ books }, service), { runId: 'run-1', ...range });
    const told = await run.then(
      ({ state }) => state,
      (error: unknown) => error,
    );
    expect(told).toEqual(reason === undefined ? 'complete' : new Error(reason));
  });

  test('what the service states is there once, without names, and its orders are dirty', async () => {
    const open = await openPlace();
    const service = historyService(wireHistory(200, from, 5));
    const run = await runSync(options(open, service), { runId: 'run-1', ...range });
    expect(run).toMatchObject({ state: 'complete', slicesDone: 5, rows: 200, changed: 200 });
    expect(await facts(open)).toEqual(truth(service.records));
    expect(await dirtyKeys(open)).toHaveLength(200);
    const raws = await open.db.selectFrom('funding_records').selectAll().execute();
    expect(raws).toHaveLength(200);
    expect(raws.map(({ raw }) => raw).join()).not.toMatch(/Ada|Quill|@/);
  });

  test('a day of more records than are written together is written whole', async () => {
    const open = await openPlace();
    const service = historyService(wireHistory(20_500, from, 1));
    const settings = { pageSize: 1_000, batchRows: 500 };
    const asked = { from, to: from };
    const run = await runSync(options(open, service, { settings }), { runId: 'run-1', ...asked });
    expect(run).toMatchObject({ state: 'complete', rows: 20_500, changed: 20_500, quarantined: 0 });
    expect(await facts(open)).toEqual(truth(service.records));
    const again = await runSync(options(open, service, { settings }), { runId: 'run-2', ...asked });
    expect(again).toMatchObject({ state: 'complete', rows: 20_500, changed: 0, gone: 0 });
  });

  test('a day whose records all name one order takes no longer for each than for the first', async () => {
    const open = await openPlace();
    const history = wireHistory(20_500, from, 1);
    const service = historyService(history.map((one) => ({ ...one, merchantOrderId: 'NULL' })));
    const settings = { pageSize: 1_000, batchRows: 500 };
    const asked = { from, to: from };
    // Each looked for among all of them, this would take longer than a test may.
    const run = await runSync(options(open, service, { settings }), { runId: 'run-1', ...asked });
    expect(run).toMatchObject({ state: 'complete', rows: 20_500, changed: 20_500, quarantined: 0 });
    const other = { id: '2026-02-27:r.LR-7.Settle', orderKey: 'order:NULL' };
    const ids = async (...asked: { id: string; orderKey: string }[]) =>
      (await open.books.elsewhere(asked)).map(({ id }) => id);
    const one = { id: `${from}:r.LR-7.Settle`, orderKey: 'order:NULL' };
    expect(await ids(other)).toEqual([one.id]);
    expect(await ids(one)).toEqual([]);
    expect(await ids(one, { ...other, orderKey: 'order:A-7' })).toEqual([]);
  });

  test('a record that was written ahead, and never became a funding, is taken away', async () => {
    const open = await openPlace();
    const service = historyService(wireHistory(20, from, 5));
    await runSync(options(open, service), { runId: 'run-1', ...range });
    // As a process leaves it that is killed after it has written records, before their fundings.
    const id = `${from}:r.NEVER.Settle`;
    await open.db
      .insertInto('funding_records')
      .values({ environment: 'sandbox', id, raw: '{}' })
      .execute();
    await open.db
      .updateTable('funding_slices')
      .set({ state: 'writing' })
      .where('day', '=', from)
      .execute();
    const run = await runSync(options(open, service), { runId: 'run-2', ...range });
    expect(run).toMatchObject({ state: 'complete', rows: 20, changed: 0, gone: 0 });
    const records = await open.db.selectFrom('funding_records').select('id').execute();
    const fundings = await open.db.selectFrom('fundings').select('id').execute();
    expect(records.map(({ id }) => id).sort()).toEqual(fundings.map(({ id }) => id).sort());
  });

  test('a second sync changes nothing, and makes no order dirty', async () => {
    const open = await openPlace();
    const service = historyService(wireHistory(80, from, 5));
    await runSync(options(open, service), { runId: 'run-1', ...range });
    await open.db.deleteFrom('dirty_orders').execute();
    // The service may send fields in another order at any time.
    service.records = service.records.map(
      (record) => Object.fromEntries(Object.entries(record).reverse()) as WireRecord,
    );
    const run = await runSync(options(open, service), { runId: 'run-2', ...range });
    expect(run).toMatchObject({ state: 'complete', rows: 80, changed: 0, gone: 0 });
    expect(await dirtyKeys(open)).toEqual([]);
    expect(new Set((await held(open)).map(({ version }) => Number(version)))).toEqual(new Set([1]));
  });

  test('the proof of a day has its passes, what pages agreed on, its sums and a hash', async () => {
    const open = await openPlace();
    const service = historyService(
      Array.from({ length: 50 }, (_, index) => wireRecord(index, `${from}T00:00:00.000Z`)),
    );
    await runSync(options(open, service), { runId: 'run-1', from, to: from });
    const [slice] = await open.books.slices(from, from);
    const total = Array.from({ length: 50 }, (_, index) => 10_000 + index);
    const transaction = total.reduce((sum, amount) => sum + amount, 0);
    expect(slice).toMatchObject({
      state: 'complete',
      passes: 2,
      rows: 50,
      runId: 'run-1',
      zone: 'UTC',
      sums: {
        USD: {
          count: 50,
          transaction: String(transaction),
          discount: '7500',
          net: String(transaction - 7_500),
        },
      },
    });
    expect(slice?.overlaps).toBeGreaterThan(6);
    expect(slice?.hash).toHaveLength(22);
  });

  test('a record that changes is a new version, one that goes away a tombstone; both are kept', async () => {
    const open = await openPlace();
    const service = historyService(wireHistory(60, from, 5));
    await runSync(options(open, service), { runId: 'run-1', ...range });
    await open.db.deleteFrom('dirty_orders').execute();
    const [first, second, ...rest] = service.records;
    if (!first || !second) throw new Error('too few');
    service.records = [
      {
        ...first,
        status: 'AMOUNT_MISMATCH',
        transactionAmount: 1.23,
        updatedAt: `${to}T10:00:00Z`,
      },
      ...rest,
    ];
    const run = await runSync(options(open, service), { runId: 'run-2', ...range });
    expect(run).toMatchObject({ state: 'complete', changed: 1, gone: 1 });
    expect(await facts(open)).toEqual(truth(service.records));
    expect(await dirtyKeys(open)).toEqual(
      [`order:${String(first.merchantOrderId)}`, `order:${String(second.merchantOrderId)}`].sort(),
    );
    const versions = await open.db.selectFrom('funding_versions').selectAll().execute();
    expect(versions.map(({ reason, version }) => [reason, Number(version)]).sort()).toEqual([
      ['gone', 1],
      ['superseded', 1],
    ]);
    const gone = versions.find(({ reason }) => reason === 'gone');
    expect(gone?.raw).toContain(String(second.lenderReferenceId));
    const records = await open.db.selectFrom('funding_records').select('id').execute();
    expect(records.map(({ id }) => id)).not.toContain(gone?.id);
    // It comes back: its history goes on.
    service.records.push(second);
    await runSync(options(open, service), { runId: 'run-3', ...range });
    const back = (await held(open)).find((row) => row.reference === second.lenderReferenceId);
    expect(Number(back?.version)).toBe(2);
  });

  test('MISSING that the service matches later supersedes: it never counts twice', async () => {
    const open = await openPlace();
    const missing = wireRecord(1, `${from}T00:00:00.000Z`, {
      status: 'MISSING',
      transactionId: undefined,
      merchantOrderId: undefined,
      chargeId: undefined,
      merchantTransactionId: undefined,
    });
    const service = historyService([missing]);
    await runSync(options(open, service), { runId: 'run-1', ...range });
    expect((await held(open)).map(({ order_key }) => order_key)).toEqual(['funding:r.LR-1.Settle']);
    await open.db.deleteFrom('dirty_orders').execute();
    service.records = [wireRecord(1, `${from}T00:00:00.000Z`)];
    await runSync(options(open, service), { runId: 'run-2', ...range });
    expect(await held(open)).toMatchObject([
      { order_key: 'order:A-1', status: 'RECONCILED', version: 2 },
    ]);
    expect(await dirtyKeys(open)).toEqual(['funding:r.LR-1.Settle', 'order:A-1']);
  });

  test('a funding that an earlier version has filed under another order is filed anew', async () => {
    const open = await openPlace();
    const service = historyService([wireRecord(1, `${from}T00:00:00.000Z`)]);
    await runSync(options(open, service), { runId: 'run-1', ...range });
    await open.db.updateTable('fundings').set({ order_key: 'order: A-1' }).execute();
    await open.db.deleteFrom('dirty_orders').execute();
    const run = await runSync(options(open, service), { runId: 'run-2', ...range });
    expect(run).toMatchObject({ changed: 1, gone: 0 });
    expect(await held(open)).toMatchObject([{ order_key: 'order:A-1', version: 2 }]);
    expect(await dirtyKeys(open)).toEqual(['order: A-1', 'order:A-1']);
  });

  test('only a proven day becomes stale, and one that is being written is not summed', async () => {
    const open = await openPlace();
    const days = [from, '2026-03-02'] as const;
    const records = days.map((day, index) => wireRecord(index, `${day}T12:00:00.000Z`));
    await runSync(options(open, historyService(records)), { runId: 'run-1', from, to: days[1] });
    const fence = { lease: 'fundings:sandbox', holder: 'two' };
    await open.books.takeLease(fence, 1, 2);
    const stands = () => open.books.slices(from, days[1]);
    const first = (set: { state: string; reason?: string }) =>
      open.db.updateTable('funding_slices').set(set).where('day', '=', from).execute();
    await first({ state: 'failed', reason: 'rejected with 400' });
    await open.books.write(fence, { now: 1, changed: [], gone: [], stale: days });
    expect(await stands()).toMatchObject([
      { state: 'failed', reason: 'rejected with 400' },
      { state: 'stale' },
    ]);
    await first({ state: 'writing' });
    await open.db.updateTable('funding_slices').set({ sums: '{}' }).execute();
    await open.books.sumAgain();
    expect((await stands()).map(({ sums }) => Object.keys(sums))).toEqual([[], ['USD']]);
  });

  test('a record without any id is known by its content; two alike are two', async () => {
    const open = await openPlace();
    const bare = wireRecord(1, `${from}T00:00:00.000Z`, {
      status: 'MISSING',
      transactionId: undefined,
      merchantOrderId: undefined,
      chargeId: undefined,
      merchantTransactionId: undefined,
      lenderReferenceId: undefined,
    });
    const service = historyService([bare, { ...bare }]);
    await runSync(options(open, service), { runId: 'run-1', ...range });
    expect(await held(open)).toHaveLength(2);
    service.records = [bare];
    const run = await runSync(options(open, service), { runId: 'run-2', ...range });
    expect(run).toMatchObject({ changed: 0, gone: 1 });
  });

  test('a funding that is re-dated to another day is there once, whichever day is read first', async () => {
    for (const [before, after] of [
      ['2026-03-01', '2026-03-04'],
      ['2026-03-04', '2026-03-01'],
    ] as const) {
      const open = await openPlace();
      const service = historyService([
        ...wireHistory(40, from, 5),
        wireRecord(900, `${before}T00:00:00.000Z`),
      ]);
      await runSync(options(open, service), { runId: 'run-1', ...range });
      // Only its new day is asked for: the old one is read again, or it would be there twice.
      service.records = service.records.map((record) =>
        record.lenderReferenceId === 'LR-900' ? wireRecord(900, `${after}T00:00:00.000Z`) : record,
      );
      const run = await runSync(options(open, service), { runId: 'run-2', from: after, to: after });
      expect(run.state).toBe('complete');
      expect(await facts(open)).toEqual(truth(service.records));
    }
  });

  test.each([
    ['from the first sync on', 3],
    ['the later ones from the second sync on', 1],
  ])(
    'an order paid in parts under one reference is there on each of their days, %s',
    async (_, first) => {
      const open = await openPlace();
      const days = ['2026-03-01', '2026-03-02', '2026-03-04'];
      const parts = days.map((day) => wireRecord(900, `${day}T00:00:00.000Z`));
      // What is in quarantine is read as if it were new each time.
      const others = days.map((day, index) =>
        wireRecord(901 + index, `${day}T00:00:00.000Z`, { transactionAmount: 'much' }),
      );
      const history = wireHistory(40, from, 5);
      const service = historyService([...history, ...others, ...parts.slice(0, first)]);
      await runSync(options(open, service), { runId: 'run-1', ...range });
      service.records = [...history, ...others, ...parts];
      const run = await runSync(options(open, service), { runId: 'run-2', ...range });
      expect(run).toMatchObject({ state: 'complete', slicesUnproven: 0 });
      expect(await facts(open)).toEqual(truth([...history, ...parts]));
      const slices = await open.books.slices(from, to);
      expect(slices.map(({ state }) => state)).toEqual(slices.map(() => 'complete'));
      const again = await runSync(options(open, service), { runId: 'run-3', ...range });
      expect(again).toMatchObject({ state: 'complete', slicesDone: 5, changed: 0, gone: 0 });
    },
  );

  test.each([
    ['before its day was whole', 'before'],
    ['when it was', 'after'],
  ])('one that is re-dated is there once, too, after a sync that died %s', async (_, when) => {
    const open = await openPlace();
    const moving = wireRecord(900, '2026-03-05T00:00:00.000Z');
    const service = historyService([...wireHistory(40, from, 5), moving]);
    await runSync(options(open, service), { runId: 'run-1', ...range });
    const dying: FundingBooks = {
      ...open.books,
      async write(fence, batch) {
        const complete = batch.slice?.state === 'complete' ? batch.slice.day : undefined;
        const isLast = complete === '2026-03-01';
        if (!isLast || when === 'after') await open.books.write(fence, batch);
        if (isLast) throw new Error('The process is gone.');
        // Days are read newest first: the 5th has been written, and is not read again by this run.
        if (complete !== '2026-03-05') return;
        service.records = service.records.map((record) =>
          record === moving ? wireRecord(900, '2026-03-01T00:00:00.000Z') : record,
        );
      },
    };
    const killed = runSync(options({ books: dying }, service, { settings: { parallel: 1 } }), {
      runId: 'run-2',
      ...range,
    });
    await expect(killed).rejects.toThrow('gone');
    const run = await runSync(options(open, service), { runId: 'run-3', ...range });
    expect(run).toMatchObject({ id: 'run-2', state: 'complete', resumed: 1 });
    expect(await facts(open)).toEqual(truth(service.records));
  });

  test('a funding that moves to a day that was read a moment ago is not lost', async () => {
    const open = await openPlace();
    const moving = wireRecord(900, '2026-03-01T00:00:00.000Z');
    const service = historyService([...wireHistory(40, from, 5), moving]);
    await runSync(options(open, service), { runId: 'run-1', ...range });
    let written = 0;
    const run = await runSync(
      options(open, service, {
        settings: { parallel: 1 },
        onProgress: ({ slicesDone }) => {
          // Days are read newest first: the 5th has been written before the 1st is asked for.
          if (slicesDone !== 1 || written++ > 0) return;
          service.records = service.records.map((record) =>
            record === moving ? wireRecord(900, '2026-03-05T00:00:00.000Z') : record,
          );
        },
      }),
      { runId: 'run-2', ...range },
    );
    expect(written).toBe(1);
    expect(run.state).toBe('complete');
    expect(await facts(open)).toEqual(truth(service.records));
  });

  test.each([1, 2, 3])(
    'rows that come and are re-dated during the passes: nothing lost, nothing twice (seed %i)',
    async (seed) => {
      const open = await openPlace();
      const random = seeded(seed);
      const service = historyService(wireHistory(150, from, 5, seed));
      const moved = new Set<string>();
      let next = 1_000;
      let changes = 60;
      service.before = () => {
        if (changes <= 0 || random() > 0.2) return undefined;
        changes -= 1;
        const day = `2026-03-0${1 + Math.floor(random() * 5)}T00:00:00.000Z`;
        if (random() < 0.5) {
          service.records = [...service.records, wireRecord(next++, day)];
        } else {
          const index = Math.floor(random() * service.records.length);
          const record = service.records[index];
          if (!record) return undefined;
          moved.add(String(record.lenderReferenceId));
          service.records = service.records.with(index, { ...record, fundedAt: day });
        }
        return undefined;
      };
      await runSync(options(open, service), { runId: 'run-1', ...range });
      // What stood still, on days that are proven, is there once.
      const slices = await open.books.slices(from, to);
      const proven = new Set(slices.flatMap(({ day, state }) => (state === 'complete' ? day : [])));
      const stood = ({ reference, day }: { reference: string | null; day: string }) =>
        Number(reference?.slice(3)) < 150 && !moved.has(String(reference)) && proven.has(day);
      expect(proven.size).toBeGreaterThan(1);
      expect((await facts(open)).filter(stood)).toEqual(truth(service.records).filter(stood));
      changes = 0;
      const run = await runSync(options(open, service), { runId: 'run-2', ...range });
      expect(run.state).toBe('complete');
      expect(await facts(open)).toEqual(truth(service.records));
    },
  );

  test('a page that fails leaves its days as they were, and the run is not clean', async () => {
    const open = await openPlace();
    const service = historyService(wireHistory(100, from, 5));
    await runSync(options(open, service), { runId: 'run-1', ...range });
    const before = await facts(open);
    const proofs = await open.books.slices(from, '2026-03-02');
    service.records = service.records.map((record) => ({ ...record, transactionAmount: 1 }));
    const wire = service.fetchPage;
    const broken: FetchPage = (query) =>
      query.to.startsWith('2026-03-01')
        ? Promise.resolve({ kind: 'failed', reason: 'timeout' })
        : wire(query);
    const run = await runSync(options(open, { fetchPage: broken }), { runId: 'run-2', ...range });
    expect(run).toMatchObject({ state: 'partial', slicesDone: 3, slicesUnproven: 2 });
    const days = ['2026-03-01', '2026-03-02'];
    const kept = (await facts(open)).filter(({ day }) => days.includes(day));
    expect(kept).toEqual(before.filter(({ day }) => days.includes(day)));
    const failed = { state: 'failed', reason: 'timeout', runId: 'run-2' };
    expect(await open.books.slices(from, '2026-03-02')).toEqual(
      proofs.map((proof) => ({ ...proof, ...failed })),
    );
    // The next one reads what is not proven.
    const again = await runSync(options(open, service), { runId: 'run-3', ...range });
    expect(again.state).toBe('complete');
    expect(await facts(open)).toEqual(truth(service.records));
  });

  test('a service that is down ends the run, after three windows and not after four hundred', async () => {
    const open = await openPlace();
    const service = historyService([]);
    service.before = () => ({ kind: 'failed', reason: 'connection-lost' });
    const run = await runSync(options(open, service), {
      runId: 'run-1',
      from: '2025-03-01',
      to: '2026-03-01',
    });
    expect(run).toMatchObject({
      state: 'failed',
      reason: 'the service gave no pages: connection-lost',
      slicesUnproven: 366,
    });
    expect(service.calls).toBeLessThan(10);
  });

  test('pages that are cut off, or no JSON, are asked for again', async () => {
    const open = await openPlace();
    const service = historyService(wireHistory(100, from, 5));
    service.before = (call) =>
      call % 3 === 0
        ? { kind: 'page', bytes: new TextEncoder().encode('{"records":[{"status":"RECON') }
        : undefined;
    const run = await runSync(options(open, service), { runId: 'run-1', ...range });
    expect(run.state).toBe('complete');
    expect(await facts(open)).toEqual(truth(service.records));
  });

  test('much of a day that goes away at once is read once more before it is believed', async () => {
    const open = await openPlace();
    const service = historyService(
      Array.from({ length: 60 }, (_, index) => wireRecord(index, `${from}T00:00:00.000Z`)),
    );
    await runSync(options(open, service), { runId: 'run-1', from, to: from });
    const all = service.records;
    let calls = 0;
    service.before = () => {
      // A service that is being restored: empty for two whole passes, and then right again.
      service.records = ++calls <= 6 ? [] : all;
      return undefined;
    };
    const run = await runSync(options(open, service), { runId: 'run-2', from, to: from });
    expect(run).toMatchObject({ state: 'complete', gone: 0 });
    expect(await facts(open)).toEqual(truth(all));
    // When it stays away, it is gone.
    service.before = undefined;
    service.records = [];
    const empty = await runSync(options(open, service), { runId: 'run-3', from, to: from });
    expect(empty).toMatchObject({ state: 'complete', gone: 60 });
    expect(await facts(open)).toEqual([]);
  });

  test('what cannot be held is listed with its reason, never 0, never lost', async () => {
    const open = await openPlace();
    const at = `${from}T00:00:00.000Z`;
    const service = historyService([
      wireRecord(1, at),
      wireRecord(2, at, { transactionAmount: 10.005 }),
      wireRecord(3, at, { netAmount: 'n/a' }),
      wireRecord(4, at, { updatedAt: 'yesterday' }),
      wireRecord(5, at, { lenderName: undefined }),
    ]);
    const run = await runSync(options(open, service), { runId: 'run-1', from, to: from });
    expect(run).toMatchObject({ state: 'complete', rows: 5, changed: 1, quarantined: 4 });
    const listed = await open.db.selectFrom('funding_quarantine').selectAll().execute();
    expect(listed.map(({ reason }) => reason).sort()).toEqual([
      'lenderName is missing',
      'netAmount: amount-invalid',
      'transactionAmount: amount-too-precise',
      'updatedAt is not a date',
    ]);
    expect(listed.map(({ raw }) => raw).join()).toContain('10.005');
    expect(await open.db.selectFrom('funding_records').selectAll().execute()).toHaveLength(1);
    // What is missing of an order is not said while a record of it is there that cannot be held.
    expect(await dirtyKeys(open)).toEqual([
      'order:A-1',
      'order:A-2',
      'order:A-3',
      'order:A-4',
      'order:A-5',
    ]);
    await open.db.deleteFrom('dirty_orders').execute();
    // Held before, and not any more: it leaves the sums.
    service.records = [wireRecord(1, at, { transactionAmount: 1.001 })];
    await runSync(options(open, service), { runId: 'run-2', from, to: from });
    expect(await facts(open)).toEqual([]);
    expect(await dirtyKeys(open)).toEqual([
      'order:A-1',
      'order:A-2',
      'order:A-3',
      'order:A-4',
      'order:A-5',
    ]);
    service.records = [wireRecord(1, at)];
    await runSync(options(open, service), { runId: 'run-3', from, to: from });
    expect(await facts(open)).toEqual(truth(service.records));
    expect(await open.db.selectFrom('funding_quarantine').selectAll().execute()).toEqual([]);
  });

  test('what is no record at all is listed as such, and does not stop the day', async () => {
    const open = await openPlace();
    const elements = [wireRecord(1, `${from}T00:00:00.000Z`), null, 'Ada Quill', 7, null, [{}]];
    const fetchPage: FetchPage = ({ to: last, offset, limit }) => {
      const isAsked = last.startsWith(from);
      const records = isAsked ? elements.slice(offset, offset + limit) : [];
      const bytes = new TextEncoder().encode(JSON.stringify({ records }));
      return Promise.resolve({ kind: 'page', bytes });
    };
    const run = await runSync(options(open, { fetchPage }), { runId: 'run-1', from, to: from });
    expect(run).toMatchObject({ state: 'complete', rows: 6, changed: 1, quarantined: 5 });
    const listed = await open.db.selectFrom('funding_quarantine').selectAll().execute();
    expect(new Set(listed.map(({ reason }) => reason))).toEqual(new Set(['it is no record']));
    // Nobody knows what is in it.
    expect(listed.map(({ raw }) => raw).join()).not.toContain('Quill');
    const calendar = new Calendar('UTC');
    const ctx = { books: open.books, calendar, defaultCurrency: 'EUR', now: () => 1 };
    expect(await repriceAll(ctx)).toBe(0);
    expect(await open.db.selectFrom('funding_quarantine').selectAll().execute()).toHaveLength(5);
    const again = await runSync(options(open, { fetchPage }), { runId: 'run-2', from, to: from });
    expect(again).toMatchObject({ state: 'complete', quarantined: 5, gone: 0 });
  });

  test.each([
    ['a NUL', 'A\u0000B'],
    ['half a character', 'A\ud800B'],
    ['thousands of characters', 'A'.repeat(20_000)],
  ])('a name with %s, wherever it stands, does not stop the sync', async (_, name) => {
    const open = await openPlace();
    const at = `${from}T00:00:00.000Z`;
    const fields = ['merchantOrderId', 'lenderReferenceId', 'lenderName', 'promoCode', 'more'];
    const service = historyService([
      wireRecord(0, at),
      ...fields.map((field, index) => wireRecord(index + 1, at, { [field]: name })),
    ]);
    const run = await runSync(options(open, service), { runId: 'run-1', from, to: from });
    expect(run).toMatchObject({ state: 'complete', rows: 6, changed: 2, quarantined: 4 });
    expect((await held(open)).map(({ reference }) => reference)).toEqual(['LR-0', 'LR-5']);
    const again = await runSync(options(open, service), { runId: 'run-2', from, to: from });
    expect(again).toMatchObject({ state: 'complete', changed: 0, gone: 0 });
    const calendar = new Calendar('UTC');
    const ctx = { books: open.books, calendar, defaultCurrency: 'USD', now: () => 1 };
    expect(await repriceAll(ctx)).toBe(0);
  });

  test('an order whose name is too long for a key, in bytes, does not stop the sync', async () => {
    const open = await openPlace();
    const at = `${from}T00:00:00.000Z`;
    // No two characters alike: PostgreSQL would press them into fewer bytes.
    const wide = (length: number) =>
      String.fromCharCode(...Array.from({ length }, (_, at) => 0x4e00 + at * 19));
    const service = historyService([
      wireRecord(1, at, { merchantOrderId: wide(1_000) }),
      wireRecord(2, at, { merchantOrderId: wide(682), lenderReferenceId: 'r'.repeat(64) }),
    ]);
    const run = await runSync(options(open, service), { runId: 'run-1', from, to: from });
    expect(run).toMatchObject({ state: 'complete', changed: 1, quarantined: 1 });
    expect(await dirtyKeys(open)).toEqual(['funding:r.LR-1.Settle', `order:${wide(682)}`]);
    const calendar = new Calendar('UTC');
    const ctx = { books: open.books, calendar, defaultCurrency: 'EUR', now: () => 1 };
    // Nor does it come back as a funding of no order.
    await repriceAll(ctx);
    expect(await open.db.selectFrom('funding_quarantine').selectAll().execute()).toHaveLength(1);
  });

  test('records that come with days they are not of are told with the day, and with the run', async () => {
    const open = await openPlace();
    const posted = wireRecord(1, `${from}T00:00:00.000Z`);
    // As a service does that goes by the date of the transaction.
    const late = wireRecord(2, '2026-05-02T00:00:00.000Z');
    const beside = wireRecord(3, '2026-03-02T00:00:00.000Z');
    const fetchPage: FetchPage = ({ to: last, offset }) => {
      const records = last.startsWith(from) && offset === 0 ? [posted, late, beside] : [];
      const bytes = new TextEncoder().encode(JSON.stringify({ records }));
      return Promise.resolve({ kind: 'page', bytes });
    };
    const ask = (runId: string) => runSync(options(open, { fetchPage }), { runId, ...range });
    const told = 'records came with days that they are not of';
    expect(await ask('run-1')).toMatchObject({ state: 'complete', changed: 2, reason: told });
    const reasons = async () => {
      const slices = await open.books.slices(from, to);
      return slices.map(({ state, reason }) => [state, reason]);
    };
    const others = Array.from({ length: 4 }, () => ['complete', undefined]);
    expect(await reasons()).toEqual([['complete', '1 came that are of other days'], ...others]);
    late.fundedAt = posted.fundedAt;
    expect(await ask('run-2')).toMatchObject({ state: 'complete', changed: 1, reason: undefined });
    expect(await reasons()).toEqual([['complete', undefined], ...others]);
  });

  test.each([
    '1970-01-01T00:00:00.000Z',
    '0100-01-01T00:00:00+05:00',
    '9999-12-31T12:00:00.000Z',
    '9999-12-31T23:59:59-05:00',
  ])('a record of %s, which the service gives of another day, is told', async (fundedAt) => {
    const open = await openPlace();
    const records = [wireRecord(1, `${from}T00:00:00.000Z`), wireRecord(2, fundedAt)];
    const fetchPage: FetchPage = ({ offset }) =>
      historyService(offset === 0 ? records : []).fetchPage({
        from: '0000-01-01',
        to: '+020000-01-01T00:00:00.000Z',
        offset: 0,
        limit: 20,
      });
    const run = await runSync(options(open, { fetchPage }), { runId: 'run-1', from, to: from });
    expect(run).toMatchObject({ state: 'complete', changed: 1, quarantined: 1 });
    const listed = await open.db.selectFrom('funding_quarantine').select('reason').execute();
    expect(listed).toEqual([
      { reason: 'fundedAt is not a date, or not of the years 2000 to 2999' },
    ]);
  });

  test('the ledger says the currency; when it says so later, the amount is read again', async () => {
    const open = await openPlace();
    const at = `${from}T00:00:00.000Z`;
    const service = historyService([
      wireRecord(1, at, { transactionAmount: 1000, discountAmount: 0, netAmount: 1000 }),
      wireRecord(2, at, { transactionAmount: 1.234, discountAmount: 0, netAmount: 1.234 }),
      wireRecord(3, at, { transactionAmount: 5, discountAmount: 0, netAmount: 5 }),
    ]);
    const line = (order: string, currency: string) => ({
      environment: 'sandbox',
      order_key: `order:${order}`,
      currency,
      id: `${order}-${currency}`,
      merchant_order_id: order,
      type: 'Settle',
      amount: 1,
      occurred_at: 1,
      source: 'import',
      created_at: 1,
    });
    await open.db
      .insertInto('ledger_lines')
      .values([line('A-3', 'USD'), line('A-3', 'EUR')])
      .execute();
    await runSync(options(open, service), { runId: 'run-1', from, to: from });
    expect(await held(open)).toMatchObject([
      { reference: 'LR-1', currency: 'USD', amount: 100_000 },
      // In two currencies at once: which one it is, nobody knows.
      { reference: 'LR-3', currency: '', amount: 500 },
    ]);
    await open.db
      .insertInto('ledger_lines')
      .values([line('A-1', 'JPY'), line('A-2', 'KWD')])
      .execute();
    await open.db.deleteFrom('dirty_orders').execute();
    const sumsOf = (transaction: string, count = 1) => ({
      count,
      transaction,
      discount: '0',
      net: transaction,
    });
    expect(await open.books.slices(from, from)).toMatchObject([
      { quarantined: 1, sums: { USD: sumsOf('100000'), '': sumsOf('500') } },
    ]);
    const ctx = {
      books: open.books,
      calendar: new Calendar('UTC'),
      defaultCurrency: 'USD',
      now: () => 1,
    };
    expect(await repriceAll(ctx)).toBe(2);
    const [slice] = await open.books.slices(from, from);
    expect(slice).toMatchObject({ state: 'complete', rows: 3, quarantined: 0 });
    expect(slice?.sums).toEqual({
      '': sumsOf('500'),
      JPY: sumsOf('1000'),
      KWD: sumsOf('1234'),
    });
    expect(await repriceAll(ctx)).toBe(0);
    expect(await reprice(ctx, ['order:A-1', 'order:A-2', 'order:A-3'])).toBe(0);
    expect(await held(open)).toMatchObject([
      { reference: 'LR-1', currency: 'JPY', amount: 1_000 },
      { reference: 'LR-2', currency: 'KWD', amount: 1_234 },
      { reference: 'LR-3', currency: '' },
    ]);
    expect(await dirtyKeys(open)).toEqual(['order:A-1', 'order:A-2']);
    // What each came as is still there, and says what it is in the next one.
    const setCurrency = (id: string, currency: string) =>
      open.db.updateTable('ledger_lines').set({ currency }).where('id', '=', id).execute();
    await open.db.insertInto('ledger_lines').values(line('A-1', 'AED')).execute();
    expect(await repriceAll(ctx)).toBe(1);
    expect(await held(open)).toMatchObject([{ currency: '' }, { currency: 'KWD' }, {}]);
    await open.db.deleteFrom('ledger_lines').where('id', '=', 'A-1-AED').execute();
    await setCurrency('A-2-KWD', 'BHD');
    expect(await repriceAll(ctx)).toBe(2);
    expect(await held(open)).toMatchObject([{ currency: 'JPY' }, { currency: 'BHD' }, {}]);
    // There are no thousandths of a yen: that one stays as it is, and holds up none behind it.
    await setCurrency('A-2-KWD', 'JPY');
    await setCurrency('A-1-JPY', 'USD');
    expect(await reprice(ctx, ['order:A-2', 'order:A-1'])).toBe(1);
    expect(await held(open)).toMatchObject([{ currency: 'USD' }, { currency: 'BHD' }, {}]);
    // Nor does one that is priced as it should be.
    await open.db.deleteFrom('ledger_lines').where('id', '=', 'A-3-USD').execute();
    expect(await reprice(ctx, ['order:A-1', 'order:A-3'])).toBe(1);
    expect(await held(open)).toMatchObject([{ currency: 'USD' }, {}, { currency: 'EUR' }]);
    // Of which no line says the currency any more is in the default one, whichever that is.
    await open.db.deleteFrom('ledger_lines').where('id', '=', 'A-1-JPY').execute();
    expect(await reprice({ ...ctx, defaultCurrency: 'JPY' }, ['order:A-1'])).toBe(1);
    expect(await held(open)).toMatchObject([{ currency: 'JPY', amount: 1_000 }, {}, {}]);
  });

  test('a record that no currency can hold stays where it is, and holds up none behind it', async () => {
    const open = await openPlace();
    const at = `${from}T00:00:00.000Z`;
    const amounts = [1.2345, 1.234];
    const service = historyService(
      amounts.map((amount, index) =>
        wireRecord(index, at, { transactionAmount: amount, discountAmount: 0, netAmount: amount }),
      ),
    );
    await runSync(options(open, service), { runId: 'run-1', from, to: from });
    expect(await held(open)).toEqual([]);
    const values = amounts.map((_amount, index) => ({
      ...{ environment: 'sandbox', id: `A-${index}`, merchant_order_id: `A-${index}` },
      ...{ order_key: `order:A-${index}`, currency: 'KWD', type: 'Settle', amount: 1 },
      ...{ occurred_at: 1, source: 'import', created_at: 1 },
    }));
    await open.db.insertInto('ledger_lines').values(values).execute();
    const { books } = open;
    const ctx = { books, calendar: new Calendar('UTC'), defaultCurrency: 'USD', now: () => 1 };
    expect(await repriceAll(ctx)).toBe(1);
    expect(await held(open)).toMatchObject([{ reference: 'LR-1', currency: 'KWD', amount: 1_234 }]);
    const waiting = await open.db.selectFrom('funding_quarantine').select('order_key').execute();
    expect(waiting).toEqual([{ order_key: 'order:A-0' }]);
    expect(await books.slices(from, from)).toMatchObject([{ quarantined: 1 }]);
  });

  test('of very many orders that are priced otherwise each is priced', async () => {
    const { books } = await openPlace();
    const orders = Array.from(
      { length: 101_001 },
      (_, at) => `order:${String(at).padStart(6, '0')}`,
    );
    const asked: string[] = [];
    const ctx = {
      books: {
        ...books,
        mispriced: (after: string, limit: number) => {
          const start = orders.indexOf(after) + 1;
          return Promise.resolve(orders.slice(start, start + limit));
        },
        rewrite: (orderKeys: readonly string[]) => {
          asked.push(...orderKeys);
          return Promise.resolve();
        },
      },
      calendar: new Calendar('UTC'),
      defaultCurrency: 'USD',
      now: () => 1,
    };
    await repriceAll(ctx);
    expect(asked).toEqual(orders);
  });

  test('what is priced otherwise is found, though one word names the order of very many lines', async () => {
    const { books, db } = await openPlace();
    const numbers = sql`with recursive numbers (n) as
      (select 1 union all select n + 1 from numbers where n < 25000)`;
    await sql`insert into ledger_lines (environment, id, order_key, currency, merchant_order_id, type,
        amount, occurred_at, source, created_at)
      ${numbers} select 'sandbox', 'm:Settle:' || n, 'order:NULL', 'USD', 'NULL', 'Settle', 1, 1,
        'import', 1 from numbers`.execute(db);
    await sql`insert into fundings (environment, id, order_key, currency, slice_day, status,
        transaction_type, lender_name, transaction_amount, discount_amount, net_amount, funded_at,
        updated_at, hash, version)
      ${numbers} select 'sandbox', '2026-03-01:' || n, 'order:NULL', 'USD', '2026-03-01', 'RECONCILED',
        'Settle', 'Northway Credit', 1, 0, 1, 1, 1, 'h', 1 from numbers`.execute(db);
    // Each funding beside each line, this would take longer than a test may.
    expect(await books.mispriced('', 500)).toEqual([]);
    for (const [id, currency] of [
      ['2026-03-01:7', 'EUR'],
      ['2026-03-01:8', ''],
      ['2026-03-01:9', 'ZMW'],
    ] as const) {
      await db.updateTable('fundings').set({ currency }).where('id', '=', id).execute();
      expect(await books.mispriced('', 500)).toEqual(['order:NULL']);
      expect(await books.mispriced('order:NULL', 500)).toEqual([]);
      await db.updateTable('fundings').set({ currency: 'USD' }).where('id', '=', id).execute();
    }
  });

  test('another default currency is that of what was read before, too', async () => {
    const open = await openPlace();
    const at = `${from}T00:00:00.000Z`;
    const whole = { transactionAmount: 1000, discountAmount: 0, netAmount: 1000 };
    const records = [1, 2, 3].map((index) => wireRecord(index, at, whole));
    const service = historyService(records);
    await open.db
      .insertInto('ledger_lines')
      .values({
        environment: 'sandbox',
        order_key: 'order:A-2',
        currency: 'KWD',
        id: 'A-2',
        merchant_order_id: 'A-2',
        type: 'Settle',
        amount: 1,
        occurred_at: 1,
        source: 'import',
        created_at: 1,
      })
      .execute();
    await runSync(options(open, service), { runId: 'run-1', from, to: from });
    const settings = { ...defaultSyncSettings, defaultCurrency: 'JPY' };
    await open.db.deleteFrom('dirty_orders').execute();
    // One of them is another one by now, too.
    service.records = records.map((record, at) =>
      at < 2 ? record : { ...record, netAmount: 999 },
    );
    const request = { from, to: from };
    const run = await runSync(options(open, service, { settings }), { runId: 'run-2', ...request });
    expect(run).toMatchObject({ changed: 2, gone: 0, quarantined: 0 });
    expect(await held(open)).toMatchObject([
      { reference: 'LR-1', currency: 'JPY', amount: 1_000 },
      { reference: 'LR-2', currency: 'KWD', amount: 1_000_000 },
      { reference: 'LR-3', currency: 'JPY', amount: 1_000 },
    ]);
    expect(await dirtyKeys(open)).toEqual(['order:A-1', 'order:A-3']);
    const again = await runSync(options(open, service, { settings }), {
      runId: 'run-3',
      ...request,
    });
    expect(again.changed).toBe(0);
  });

  test('two syncs at once: the second is told so, and the first is not disturbed', async () => {
    const open = await openPlace();
    const service = historyService(wireHistory(60, from, 5));
    const other = open.another();
    let busy: unknown;
    service.before = async (call) => {
      if (call !== 5) return undefined;
      busy = await runSync(options({ books: other }, historyService([]), { holder: 'two' }), {
        runId: 'run-2',
        ...range,
      }).catch((error: unknown) => error);
      return undefined;
    };
    const run = await runSync(options(open, service), { runId: 'run-1', ...range });
    expect(busy).toBeInstanceOf(SyncBusyError);
    expect(run.state).toBe('complete');
    expect(await facts(open)).toEqual(truth(service.records));
  });

  test('a lease that was taken makes the old holder stop before it writes', async () => {
    const open = await openPlace();
    const service = historyService(wireHistory(60, from, 5));
    const thief = open.another();
    const fence = { lease: 'fundings:sandbox', holder: 'two' };
    const written = Promise.withResolvers<unknown>();
    const seen = async () => ({
      rows: await held(open),
      slices: await open.books.slices(from, to),
    });
    const old = runSync(
      options(open, service, {
        settings: { parallel: 1 },
        onProgress: ({ slicesDone }) => {
          if (slicesDone !== 1) return;
          service.before = async () => {
            service.before = undefined;
            // Long after the lease has run out.
            expect(await thief.takeLease(fence, Number.MAX_SAFE_INTEGER, 1)).toBe(true);
            written.resolve(await seen());
            return undefined;
          };
        },
      }),
      { runId: 'run-1', ...range },
    );
    await expect(old).rejects.toBeInstanceOf(LeaseLostError);
    expect(await seen()).toEqual(await written.promise);
    // Who has taken it takes up the same run, and reads only what is left.
    const run = await runSync(options({ books: thief }, service, { holder: 'two' }), {
      runId: 'run-2',
      ...range,
    });
    expect(run).toMatchObject({ id: 'run-1', resumed: 1, state: 'complete', slicesPlanned: 5 });
    expect(await facts(open)).toEqual(truth(service.records));
  });

  test('a run that is taken up does not read again what it has', async () => {
    const open = await openPlace();
    const service = historyService(wireHistory(100, from, 5));
    const stop = new AbortController();
    const stopped = runSync(
      options(open, service, {
        stop: stop.signal,
        settings: { parallel: 1 },
        onProgress: ({ slicesDone }) => {
          if (slicesDone === 3) stop.abort();
        },
      }),
      { runId: 'run-1', ...range },
    );
    await expect(stopped).rejects.toThrow('asked to stop');
    const windows: string[] = [];
    const listening: FetchPage = (query) => {
      windows.push(query.to.slice(0, 10));
      return service.fetchPage(query);
    };
    const run = await runSync(options(open, { fetchPage: listening }), {
      runId: 'run-2',
      ...range,
    });
    expect(run).toMatchObject({ id: 'run-1', state: 'complete', slicesDone: 5, rows: 100 });
    // The 1st and the 2nd were left; the days beside them may hold some of theirs.
    expect([...new Set(windows)].sort()).toEqual([
      '2026-02-28',
      '2026-03-01',
      '2026-03-02',
      '2026-03-03',
    ]);
    expect(await facts(open)).toEqual(truth(service.records));
  });
});
