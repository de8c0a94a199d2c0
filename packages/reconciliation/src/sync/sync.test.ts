import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@financing-checkout/kit';
import { expect, test } from 'vitest';
import { LeaseLostError } from '../facts/store.ts';
import { historyService, wireHistory, wireRecord } from './history.fixture.ts';
import type { PageQuery } from './source.ts';
import { dirtyKeys, from, held, openDatabase, recordsOf, sync, truth } from './sync.fixture.ts';

test('stores each record once and without names, and marks its order', async () => {
  const open = await openDatabase();
  const service = historyService(wireHistory(200, from, 5));
  const run = await sync(open, service, 'sync-1');
  expect(run).toMatchObject({ state: 'complete', daysDone: 5, records: 200, changed: 200 });
  expect(await held(open)).toEqual(truth(service.records));
  expect(await dirtyKeys(open)).toHaveLength(200);
  for (const day of await open.facts.days()) {
    const records = await recordsOf(open, await open.facts.content(day.day));
    expect(records).toHaveLength(day.count);
    expect(JSON.stringify(records)).not.toMatch(/Ada|Quill|@/);
  }
  await open.write('checkpoint').catch(() => undefined);
  const kept = readdirSync(open.folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(kept.map(({ name }) => name).filter((name) => /\.(?:json|parquet)$/.test(name))).toEqual(
    [],
  );
  for (const { parentPath, name } of kept) {
    expect(readFileSync(join(parentPath, name), 'latin1')).not.toMatch(/\bQuill\b|ada\.quill/);
  }
});

test.each([{}, { records: null }, { records: [] }])(
  'proves that days are empty when the report is %j',
  async (report) => {
    const open = await openDatabase();
    const service = historyService([]);
    service.before = () => ({
      kind: 'page',
      bytes: new TextEncoder().encode(JSON.stringify(report)),
    });
    const run = await sync(open, service, 'sync-1');
    expect(run).toMatchObject({ state: 'complete', daysDone: 5, records: 0, quarantined: 0 });
    expect(await held(open)).toEqual([]);
  },
);

test.each([[{ requestId: 'r-1', message: 'Try later.' }], [{ errors: [] }], ['OK'], [[]], [null]])(
  'proves no day when the report is %j',
  async (report) => {
    const open = await openDatabase();
    const service = historyService([]);
    service.before = () => ({
      kind: 'page',
      bytes: new TextEncoder().encode(JSON.stringify(report)),
    });
    expect(await sync(open, service, 'sync-1')).toMatchObject({ state: 'failed', daysDone: 0 });
  },
);

test('stores nothing twice: a second sync changes nothing', async () => {
  const open = await openDatabase();
  const service = historyService(wireHistory(5_500, from, 2));
  const settings = { pageSize: 1_000, overlap: 5 };
  const first = await sync(open, service, 'sync-1', { settings });
  expect(first).toMatchObject({
    state: 'complete',
    records: 5_500,
    changed: 5_500,
    quarantined: 0,
  });
  expect(await held(open)).toEqual(truth(service.records));
  await open.write('delete from dirty_orders');
  const again = await sync(open, service, 'sync-2', { settings });
  expect(again).toMatchObject({ state: 'complete', records: 5_500, changed: 0, gone: 0 });
  expect(await dirtyKeys(open)).toEqual([]);
});

test('replaces changed records, keeps the old ones as superseded, and marks their orders', async () => {
  const open = await openDatabase();
  const service = historyService(
    [1, 2, 3].map((index) => wireRecord(index, `${from}T00:00:00.000Z`)),
  );
  await sync(open, service, 'sync-1');
  await open.write('delete from dirty_orders');
  service.records = [
    wireRecord(1, `${from}T00:00:00.000Z`),
    wireRecord(2, `${from}T00:00:00.000Z`, { netAmount: 7 }),
  ];
  const run = await sync(open, service, 'sync-2');
  expect(run).toMatchObject({ state: 'complete', changed: 1, gone: 1 });
  expect(await dirtyKeys(open)).toEqual(['order:A-2', 'order:A-3']);
  expect(await open.facts.days(from, from)).toMatchObject([
    { count: 2, changed: 1, gone: 1, syncId: 'sync-2' },
  ]);
  const [superseded] = await open.facts.superseded(from);
  if (!superseded) throw new Error('Nothing was superseded.');
  expect(await recordsOf(open, superseded.content)).toMatchObject([
    { identity: 'r.LR-2.Settle', net_text: '98.52' },
    { identity: 'r.LR-3.Settle' },
  ]);
});

test('writes nothing after losing the lease, and the next holder resumes the sync', async () => {
  const open = await openDatabase();
  const service = historyService(wireHistory(60, from, 5));
  let fence = { holder: 'one', number: 1 };
  const old = sync(open, service, 'sync-1', {
    settings: { parallel: 1 },
    onProgress: ({ daysDone }) => {
      if (daysDone === 1) fence = open.facts.take('two');
    },
  });
  await expect(old).rejects.toBeInstanceOf(LeaseLostError);
  expect(await open.facts.days()).toHaveLength(1);
  const run = await sync(open, service, 'sync-2', { fence });
  expect(run).toMatchObject({ id: 'sync-1', resumed: 1, state: 'complete', daysPlanned: 5 });
  expect(await held(open)).toEqual(truth(service.records));
});

test('does not read completed days again after resuming', async () => {
  const open = await openDatabase();
  const service = historyService(wireHistory(100, from, 5));
  const stop = new AbortController();
  const stopped = sync(open, service, 'sync-1', {
    stop: stop.signal,
    settings: { parallel: 1 },
    onProgress: ({ daysDone }) => {
      if (daysDone === 3) stop.abort();
    },
  });
  await expect(stopped).rejects.toThrow('told to stop');
  const days: string[] = [];
  const listening = {
    fetchPage: (query: PageQuery) => {
      days.push(query.to.slice(0, 10));
      return service.fetchPage(query);
    },
  };
  const run = await sync(open, listening, 'sync-2');
  expect(run).toMatchObject({ id: 'sync-1', state: 'complete', daysDone: 5, records: 100 });
  // The 1st and 2nd were left; adjacent days may contain some of their records.
  expect([...new Set(days)].sort()).toEqual([
    '2026-02-28',
    '2026-03-01',
    '2026-03-02',
    '2026-03-03',
  ]);
  expect(await held(open)).toEqual(truth(service.records));
});

test('stops waiting for a page when the sync stops, without storing a state for the day', async () => {
  const open = await openDatabase();
  const service = historyService(wireHistory(20, from, 5));
  const stop = new AbortController();
  service.before = () => {
    stop.abort();
    return { kind: 'failed', reason: 'timeout' };
  };
  await expect(sync(open, service, 'sync-1', { stop: stop.signal })).rejects.toThrow(
    'told to stop',
  );
  expect(await open.facts.days()).toEqual([]);
});

test('applies the days of a slow sync to the analytics database each minute', async () => {
  const open = await openDatabase();
  let now = Date.parse('2026-03-10T00:00:00Z');
  const counts: unknown[] = [];
  const days = () => open.rows('select count(*) from funding_days');
  await sync(open, historyService(wireHistory(50, from, 5)), 'sync-1', {
    clock: { ...systemClock, now: () => now },
    onProgress: async (run) => {
      if (run.endedAt !== undefined) return;
      counts.push((await days())[0]?.[0]);
      now += 30_000;
    },
  });
  expect(counts.map(Number)).toEqual([0, 0, 2, 2, 4, 4]);
});

test('uses days of the declared zone', async () => {
  const open = await openDatabase();
  // The first moment of a day in New York, and the last moments around it.
  const records = [
    '2026-03-01T04:59:59.999Z',
    '2026-03-01T05:00:00.000Z',
    '2026-03-02T04:59:59.999Z',
  ].map((at, index) => wireRecord(index, at));
  const settings = { zone: 'America/New_York' };
  await sync(open, historyService(records), 'sync-1', {
    settings,
    from: '2026-02-28',
    to: '2026-03-01',
  });
  const rows = await open.rows('select day, lender_reference_id from fundings order by 1, 2');
  expect(rows).toEqual([
    ['2026-02-28', 'LR-0'],
    ['2026-03-01', 'LR-1'],
    ['2026-03-01', 'LR-2'],
  ]);
});
