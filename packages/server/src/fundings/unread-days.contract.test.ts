import { describe, expect, test } from 'vitest';
import { syncPlaces } from './books.fixture.ts';
import { historyService, wireHistory, wireRecord } from './history.fixture.ts';
import { runSync } from './sync.ts';
import { facts, from, options, range, truth } from './sync.fixture.ts';
import type { FetchPage } from './window.ts';

describe.each(syncPlaces)('on %s', (_, openPlace) => {
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
    const tries = new Map<string, number>();
    // Each page twice, which is as often as it is asked for again.
    service.before = (_, query) => {
      const page = JSON.stringify(query);
      const before = tries.get(page) ?? 0;
      tries.set(page, before + 1);
      return before % 3 < 2
        ? { kind: 'page', bytes: new TextEncoder().encode('{"records":[{"status":"RECON') }
        : undefined;
    };
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
});
