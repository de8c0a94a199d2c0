import { describe, expect, test } from 'vitest';
import { systemClock } from '../clock/clock.ts';
import { syncPlaces, type OpenBooks } from './books.fixture.ts';
import { MOVED } from './books.ts';
import { digest, historyService, wireHistory, wireRecord } from './history.fixture.ts';
import { defaultSyncSettings } from './settings.ts';
import { runSync, type SyncOptions, type SyncRequest } from './sync.ts';
import { createWindows, type FetchPage, type Windows } from './window.ts';

const HOUR_MS = 3_600_000;
const tiers = { hotDays: 1, warmDays: 1, coldDays: 1 };
const range = { from: '2026-03-01', to: '2026-03-05' };

function options(
  { books }: Pick<OpenBooks, 'books'>,
  fetchPage: FetchPage,
  change: Partial<SyncOptions> = {},
): SyncOptions {
  const settings = {
    ...defaultSyncSettings,
    defaultCurrency: 'USD',
    parallel: 1,
    tiers,
    ...change.settings,
  };
  const windows = createWindows({ fetchPage, digest, settings });
  return { environment: 'sandbox', books, windows, digest, holder: 'one', ...change, settings };
}

/** Stops a sync once so many of its days are done. */
async function cutOff(open: OpenBooks, request: SyncRequest, days: number): Promise<void> {
  const stop = new AbortController();
  const { fetchPage } = historyService([]);
  const run = runSync(
    options(open, fetchPage, {
      stop: stop.signal,
      onProgress: ({ slicesDone }) => {
        if (slicesDone === days) stop.abort();
      },
    }),
    request,
  );
  await expect(run).rejects.toThrow('asked to stop');
}

async function places({ db }: OpenBooks): Promise<string[]> {
  const rows = await db.selectFrom('fundings').select(['slice_day', 'transaction_id']).execute();
  return rows.map((row) => `${row.slice_day} ${row.transaction_id}`).sort();
}

describe.each(syncPlaces)('on %s', (_, openPlace) => {
  test.each([
    ['other days at its begin', range, { ...range, from: '2026-03-02' }, {}],
    ['other days at its end', range, { ...range, to: '2026-03-04' }, {}],
    ['days of another zone', range, range, { settings: { zone: 'Europe/Berlin' } }],
    ['what is due, after days that somebody asked for', range, {}, {}],
    ['what is due, a day later', {}, {}, { clock: later(25 * HOUR_MS) }],
  ])('a run that was cut off is not taken up for %s', async (_case, first, second, change) => {
    const open = await openPlace();
    await cutOff(open, { runId: 'run-1', ...first }, 1);
    const { fetchPage } = historyService([]);
    const run = await runSync(options(open, fetchPage, change), { runId: 'run-2', ...second });
    expect(run).toMatchObject({ id: 'run-2', state: 'complete', resumed: 0 });
    const [left, ...others] = await open.db
      .selectFrom('funding_runs')
      .select(['state', 'reason', 'slices_planned as planned', 'slices_unproven as unproven'])
      .where('id', '=', 'run-1')
      .execute();
    expect(others).toEqual([]);
    expect(left).toMatchObject({ state: 'partial', reason: 'it was not ended' });
    expect(Number(left?.unproven)).toBe(Number(left?.planned) - 1);
  });

  test('one of what is due is not taken up for the same days by name, but for what is due', async () => {
    const open = await openPlace();
    await cutOff(open, { runId: 'run-1' }, 1);
    const running = await open.books.findRunning();
    const { fetchPage } = historyService([]);
    const named = { from: running?.fromDay, to: running?.toDay };
    const run = await runSync(options(open, fetchPage), { runId: 'run-2', ...named });
    expect(run).toMatchObject({ id: 'run-2', state: 'complete', resumed: 0 });
    await cutOff(open, { runId: 'run-3' }, 1);
    const again = await runSync(options(open, fetchPage, { clock: later(HOUR_MS) }), {
      runId: 'run-4',
    });
    expect(again).toMatchObject({ id: 'run-3', state: 'complete', resumed: 1 });
  });

  test('what could not be read before a run was cut off does not count when it is read then', async () => {
    const open = await openPlace();
    const { fetchPage } = historyService(wireHistory(20, range.from, 5));
    const stop = new AbortController();
    const broken: FetchPage = (query) =>
      query.to.startsWith('2026-03-05')
        ? Promise.resolve({ kind: 'failed', reason: 'timeout' })
        : fetchPage(query);
    const onProgress: SyncOptions['onProgress'] = ({ slicesDone }) => {
      if (slicesDone === 1) stop.abort();
    };
    await expect(
      runSync(options(open, broken, { stop: stop.signal, onProgress }), {
        runId: 'run-1',
        ...range,
      }),
    ).rejects.toThrow('asked to stop');
    expect(await open.books.findRunning()).toMatchObject({ slicesUnproven: 2 });
    const run = await runSync(options(open, fetchPage), { runId: 'run-2', ...range });
    expect(run).toMatchObject({ id: 'run-1', state: 'complete', slicesDone: 5, slicesUnproven: 0 });
  });

  test('what moved to a day that was cut off, and then could not be read, is there once', async () => {
    const open = await openPlace();
    const at = (day: string) => `${day}T00:00:00.000Z`;
    const service = historyService(
      [1, 2].map((index) => wireRecord(index, at(`2026-03-0${index}`))),
    );
    await runSync(options(open, service.fetchPage), { runId: 'run-1', ...range });
    const last = { from: range.to, to: range.to };
    const [first, second] = service.records;
    if (!first || !second) throw new Error('There are no records.');
    first.fundedAt = at(range.to);
    const killed: OpenBooks['books'] = {
      ...open.books,
      write: (fence, batch) =>
        batch.slice?.state === 'complete'
          ? Promise.reject(new Error('killed'))
          : open.books.write(fence, batch),
    };
    const cut = runSync(options({ books: killed }, service.fetchPage), { runId: 'run-2', ...last });
    await expect(cut).rejects.toThrow('killed');
    expect(await places(open)).toEqual([
      '2026-03-01 txn-1',
      '2026-03-02 txn-2',
      '2026-03-05 txn-1',
    ]);
    const away: FetchPage = () => Promise.resolve({ kind: 'failed', reason: 'timeout' });
    await runSync(options(open, away), { runId: 'run-3', ...last });
    expect(await open.books.slices(range.to, range.to)).toMatchObject([{ state: 'failed' }]);
    second.fundedAt = at(range.to);
    const run = await runSync(options(open, service.fetchPage), { runId: 'run-4', ...last });
    expect(run.state).toBe('complete');
    expect(await places(open)).toEqual(['2026-03-05 txn-1', '2026-03-05 txn-2']);
  });

  test('a run whose fundings move each time that they are read does not end as if it were whole', async () => {
    const open = await openPlace();
    const [a, b, c] = ['2026-03-01', '2026-03-02', '2026-03-03'] as const;
    const at = (day: string) => `${day}T00:00:00.000Z`;
    const [one, other] = [wireRecord(1, at(c)), wireRecord(2, at(a))];
    const plain = options(open, historyService([one, other]).fetchPage);
    const reads = new Map<string, number>();
    let before: Promise<unknown> = Promise.resolve();
    const windows: Windows = {
      ...plain.windows,
      read(day) {
        const read = before.then(() => {
          const times = (reads.get(day) ?? 0) + 1;
          reads.set(day, times);
          // Whoever looks at either day finds it there; the other one comes when all has been read twice.
          if (day === b || day === c) one.fundedAt = at(day);
          if (day === b && times === 3) other.fundedAt = at(b);
          return plain.windows.read(day);
        });
        before = read;
        return read;
      },
    };
    const run = await runSync({ ...plain, windows }, { runId: 'run-1', from: a, to: c });
    expect(run).toMatchObject({
      state: 'partial',
      reason: 'not every day could be proven',
      slicesUnproven: 1,
    });
    expect(await open.books.slices(a, a)).toMatchObject([{ state: 'stale', reason: MOVED }]);
  });
});

function later(ms: number) {
  return { ...systemClock, now: () => systemClock.now() + ms };
}
