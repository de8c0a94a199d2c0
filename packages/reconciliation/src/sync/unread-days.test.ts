import { expect, test } from 'vitest';
import { historyService, wireHistory, wireRecord } from './history.fixture.ts';
import type { PageQuery } from './source.ts';
import { isSuspicious } from './day-work.ts';
import { from, held, openDatabase, sync, truth } from './sync.fixture.ts';

test('keeps the days of a failed page, and reports the sync as partial', async () => {
  const open = await openDatabase();
  const service = historyService(wireHistory(100, from, 5));
  await sync(open, service, 'sync-1');
  const before = await held(open);
  const proofs = await open.facts.days(from, '2026-03-02');
  service.records = service.records.map((record) => ({ ...record, transactionAmount: 1 }));
  const broken = {
    fetchPage: (query: PageQuery) =>
      query.to.startsWith('2026-03-01')
        ? Promise.resolve({ kind: 'failed' as const, reason: 'timeout' })
        : service.fetchPage(query),
  };
  const run = await sync(open, broken, 'sync-2');
  expect(run).toMatchObject({ state: 'partial', daysDone: 3, daysUnproven: 2 });
  expect(run.reason).toBe('some days are unproven');
  const days = ['2026-03-01', '2026-03-02'];
  const ofThem = ({ day }: { day: string }) => days.includes(day);
  expect((await held(open)).filter(ofThem)).toEqual(before.filter(ofThem));
  const failed = {
    state: 'failed',
    reason: 'timeout',
    syncId: 'sync-2',
    number: expect.any(Number) as number,
  };
  expect(await open.facts.days(from, '2026-03-02')).toEqual(
    proofs.map((proof) => ({ ...proof, ...failed })),
  );
  // The next sync reads the unproven days.
  expect((await sync(open, service, 'sync-3')).state).toBe('complete');
  expect(await held(open)).toEqual(truth(service.records));
});

test('ends after 3 failed windows when the service is down, not after 400', async () => {
  const open = await openDatabase();
  const service = historyService([]);
  service.before = () => ({ kind: 'failed', reason: 'connection-lost' });
  const run = await sync(open, service, 'sync-1', { from: '2025-03-01', to: '2026-03-01' });
  expect(run).toMatchObject({
    state: 'failed',
    reason: 'the service is unavailable: connection-lost',
    daysUnproven: 366,
  });
  expect(service.calls).toBeLessThan(10);
});

test('retries truncated pages and pages that are not JSON', async () => {
  const open = await openDatabase();
  const service = historyService(wireHistory(100, from, 5));
  const tries = new Map<string, number>();
  // Each page fails twice, which is the maximum number of retries.
  service.before = (_, query) => {
    const page = JSON.stringify(query);
    const before = tries.get(page) ?? 0;
    tries.set(page, before + 1);
    return before % 3 < 2
      ? { kind: 'page', bytes: new TextEncoder().encode('{"records":[{"status":"RECON') }
      : undefined;
  };
  expect((await sync(open, service, 'sync-1')).state).toBe('complete');
  expect(await held(open)).toEqual(truth(service.records));
});

test('reads a day again to confirm a large loss', async () => {
  const open = await openDatabase();
  const service = historyService(
    Array.from({ length: 60 }, (_, index) => wireRecord(index, `${from}T00:00:00.000Z`)),
  );
  const day = { from, to: from };
  await sync(open, service, 'sync-1', day);
  const all = service.records;
  let calls = 0;
  service.before = () => {
    // Simulates a service during a restore: empty for two entire passes, then correct again.
    service.records = ++calls <= 6 ? [] : all;
    return undefined;
  };
  expect(await sync(open, service, 'sync-2', day)).toMatchObject({ state: 'complete', gone: 0 });
  expect(await held(open)).toEqual(truth(all));
  expect(await open.facts.days(from, from)).toMatchObject([{ passes: 4, count: 60 }]);
  // A confirmed loss is accepted.
  service.before = undefined;
  service.records = [];
  expect(await sync(open, service, 'sync-3', day)).toMatchObject({ state: 'complete', gone: 60 });
  expect(await held(open)).toEqual([]);
  expect(await open.facts.superseded(from)).toMatchObject([{ count: 60 }]);
});

test.each([
  [5, 5, false],
  [11, 11, true],
  [55, 11, false],
  [54, 11, true],
])('among %i records, a loss of %i is suspicious: %s', (stored, gone, expected) => {
  expect(isSuspicious(stored, gone, 0.2)).toBe(expected);
});
