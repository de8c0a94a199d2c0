import { expect, test } from 'vitest';
import { systemClock } from '@financing-checkout/kit';
import { historyService, wireHistory, wireRecord } from './history.fixture.ts';
import { MOVED } from './moved.ts';
import type { PageQuery } from './source.ts';
import { openDatabase, type TestDatabase, options } from './sync.fixture.ts';
import { runSync, type SyncOptions } from './sync.ts';
import type { Windows } from './window.ts';

const HOUR_MS = 3_600_000;
const tiers = { hotDays: 1, warmDays: 1, coldDays: 1 };
const range = { from: '2026-03-01', to: '2026-03-05' };

function run(
  open: TestDatabase,
  service: Parameters<typeof options>[1],
  request: Parameters<typeof runSync>[1],
  change: Partial<SyncOptions> = {},
) {
  const settings = { parallel: 1, tiers, ...change.settings };
  return runSync(options(open, service, { ...change, settings }), request);
}

/** Stops a sync after a number of days. */
async function cutOff(
  open: TestDatabase,
  request: Parameters<typeof runSync>[1],
  days: number,
): Promise<void> {
  const stop = new AbortController();
  const stopped = run(open, historyService([]), request, {
    stop: stop.signal,
    onProgress: ({ daysDone }) => {
      if (daysDone === days) stop.abort();
    },
  });
  await expect(stopped).rejects.toThrow('told to stop');
}

async function places(open: TestDatabase): Promise<string[]> {
  const rows = await open.rows('select day, transaction_id from fundings order by 1, 2');
  return rows.map((row) => row.join(' '));
}

function later(ms: number) {
  return { ...systemClock, now: () => systemClock.now() + ms };
}

test.each([
  ['other days at its begin', range, { ...range, from: '2026-03-02' }, {}],
  ['other days at its end', range, { ...range, to: '2026-03-04' }, {}],
  ['days of another zone', range, range, { settings: { zone: 'Europe/Berlin' } }],
  ['all that is due, after days that were asked for', range, {}, {}],
  ['all that is due, a day later', {}, {}, { clock: later(25 * HOUR_MS) }],
])('does not resume an interrupted sync for %s', async (_, first, second, change) => {
  const open = await openDatabase();
  await cutOff(open, { id: 'sync-1', ...first }, 1);
  const next = await run(open, historyService([]), { id: 'sync-2', ...second }, change);
  expect(next).toMatchObject({ id: 'sync-2', state: 'complete', resumed: 0 });
  const left = (await open.facts.syncs(9)).find(({ id }) => id === 'sync-1');
  expect(left).toMatchObject({ state: 'partial', reason: 'it was interrupted' });
  expect(left?.daysUnproven).toBe((left?.daysPlanned ?? 0) - 1);
});

test('resumes a sync of all due days only for all due days, not for an explicit range', async () => {
  const open = await openDatabase();
  await cutOff(open, { id: 'sync-1' }, 1);
  const [running] = await open.facts.syncs(1);
  const named = { from: running?.fromDay, to: running?.toDay };
  const next = await run(open, historyService([]), { id: 'sync-2', ...named });
  expect(next).toMatchObject({ id: 'sync-2', state: 'complete', resumed: 0 });
  await cutOff(open, { id: 'sync-3' }, 1);
  const again = await run(open, historyService([]), { id: 'sync-4' }, { clock: later(HOUR_MS) });
  expect(again).toMatchObject({ id: 'sync-3', state: 'complete', resumed: 1 });
});

test('does not count a day as unproven if it is read after the interruption', async () => {
  const open = await openDatabase();
  const service = historyService(wireHistory(20, range.from, 5));
  const stop = new AbortController();
  const broken = {
    fetchPage: (query: PageQuery) =>
      query.to.startsWith('2026-03-05')
        ? Promise.resolve({ kind: 'failed' as const, reason: 'timeout' })
        : service.fetchPage(query),
  };
  const stopped = run(
    open,
    broken,
    { id: 'sync-1', ...range },
    {
      stop: stop.signal,
      onProgress: ({ daysDone }) => {
        if (daysDone === 1) stop.abort();
      },
    },
  );
  await expect(stopped).rejects.toThrow('told to stop');
  expect(await open.facts.syncs(1)).toMatchObject([{ state: 'running', daysUnproven: 2 }]);
  const next = await run(open, service, { id: 'sync-2', ...range });
  expect(next).toMatchObject({ id: 'sync-1', state: 'complete', daysDone: 5, daysUnproven: 0 });
});

test('stores a funding once if it moved to a day that was interrupted and then unreadable', async () => {
  const open = await openDatabase();
  const at = (day: string) => `${day}T00:00:00.000Z`;
  const service = historyService([1, 2].map((index) => wireRecord(index, at(`2026-03-0${index}`))));
  await run(open, service, { id: 'sync-1', ...range });
  const last = { from: range.to, to: range.to };
  const [first, second] = service.records;
  if (!first || !second) throw new Error('There are no records.');
  first.fundedAt = at(range.to);
  const cut = run(
    open,
    service,
    { id: 'sync-2', ...last },
    {
      onProgress: ({ daysDone }) => {
        if (daysDone === 1) throw new Error('killed');
      },
    },
  );
  await expect(cut).rejects.toThrow('killed');
  const away = { fetchPage: () => Promise.resolve({ kind: 'failed' as const, reason: 'timeout' }) };
  await run(open, away, { id: 'sync-3', ...last }, { clock: later(25 * HOUR_MS) });
  expect(await open.facts.days(range.to, range.to)).toMatchObject([{ state: 'failed', count: 1 }]);
  second.fundedAt = at(range.to);
  const next = await run(open, service, { id: 'sync-4', ...last });
  expect(next.state).toBe('complete');
  expect(await places(open)).toEqual(['2026-03-05 txn-1', '2026-03-05 txn-2']);
});

test('ends as partial if fundings move during every reading', async () => {
  const open = await openDatabase();
  const [a, b, c] = ['2026-03-01', '2026-03-02', '2026-03-03'] as const;
  const at = (day: string) => `${day}T00:00:00.000Z`;
  const [one, other, third] = [wireRecord(1, at(c)), wireRecord(2, at(a)), wireRecord(3, at(b))];
  const reads = new Map<string, number>();
  const windows = (plain: Windows): Windows => ({
    ...plain,
    read(day) {
      const times = (reads.get(day) ?? 0) + 1;
      reads.set(day, times);
      // Each funding moves from a day already read to the next one to read, so there is always a
      // day to read again.
      if (day === b && times === 1) one.fundedAt = at(b);
      if (day === c && times === 2) other.fundedAt = at(c);
      if (day === a && times === 2) third.fundedAt = at(a);
      return plain.read(day);
    },
  });
  const service = historyService([one, other, third]);
  const inTurn = (plain: Windows): Windows => {
    let before: Promise<unknown> = Promise.resolve();
    const moving = windows(plain);
    return {
      ...moving,
      read(day) {
        const read = before.then(() => moving.read(day));
        before = read.catch(() => undefined);
        return read;
      },
    };
  };
  const last = await run(open, service, { id: 'sync-1', from: a, to: c }, { windows: inTurn });
  expect(last).toMatchObject({ state: 'partial', reason: 'some days are unproven' });
  expect(last.daysUnproven).toBe(1);
  expect(await open.facts.days(b, b)).toMatchObject([{ state: 'stale', reason: MOVED }]);
  // The next sync corrects it.
  expect((await run(open, service, { id: 'sync-2', from: b, to: b })).state).toBe('complete');
  expect(await places(open)).toEqual([`${a} txn-3`, `${b} txn-1`, `${c} txn-2`]);
});
