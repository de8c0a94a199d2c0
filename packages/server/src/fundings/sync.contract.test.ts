import { describe, expect, test } from 'vitest';
import { syncPlaces } from './books.fixture.ts';
import { type FundingBooks, LeaseLostError } from './books.ts';
import { historyService, wireHistory, wireRecord, type WireRecord } from './history.fixture.ts';
import { runSync, SyncBusyError } from './sync.ts';
import { dirtyKeys, facts, from, held, options, range, to, truth } from './sync.fixture.ts';
import type { FetchPage } from './window.ts';

describe.each(syncPlaces)('on %s', (_, openPlace) => {
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

  test.each([{}, { records: null }, { records: [] }])(
    'proves days as empty whose report is %j',
    async (report) => {
      const open = await openPlace();
      const service = historyService([]);
      const bytes = new TextEncoder().encode(JSON.stringify(report));
      service.before = () => ({ kind: 'page', bytes });
      const run = await runSync(options(open, service), { runId: 'run-1', ...range });
      expect(run).toMatchObject({ state: 'complete', slicesDone: 5, rows: 0, quarantined: 0 });
      expect(await facts(open)).toEqual([]);
    },
  );

  test.each([
    [{ requestId: 'r-1', message: 'Try later.' }],
    [{ errors: [] }],
    ['OK'],
    [[]],
    [null],
  ])('proves no day whose report is %j', async (report) => {
    const open = await openPlace();
    const service = historyService([]);
    const bytes = new TextEncoder().encode(JSON.stringify(report));
    service.before = () => ({ kind: 'page', bytes });
    const run = await runSync(options(open, service), { runId: 'run-1', ...range });
    expect(run).toMatchObject({ state: 'failed', slicesDone: 0 });
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
