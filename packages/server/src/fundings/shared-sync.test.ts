import { describe, expect, test } from 'vitest';
import { systemClock } from '../clock/clock.ts';
import { bookPlaces, type OpenBooks } from './books.fixture.ts';
import { LeaseLostError } from './books.ts';
import { historyService, type WireRecord, wireHistory, wireRecord } from './history.fixture.ts';
import { helpSync } from './shared-days.ts';
import { runSync, type SyncOptions } from './sync.ts';
import { dirtyKeys, facts, options, truth } from './sync.fixture.ts';
import type { FetchPage } from './window.ts';

const from = '2026-03-01';
const to = '2026-03-12';
const range = { from, to };
const DAYS = 12;
const LEASE_MS = 1_000;
const MOVES = 20;

const [place] = bookPlaces.filter(([name]) => name === 'PostgreSQL');
const openPlace = place?.[1] ?? (() => Promise.reject(new Error('There is no PostgreSQL.')));

type Service = ReturnType<typeof historyService>;

/** A companion that reads the same fundings, by its name. */
function companion(open: OpenBooks, service: Pick<Service, 'fetchPage'>, holder: string) {
  const change: Partial<SyncOptions> = { holder, settings: { shareDays: 2, leaseMs: LEASE_MS } };
  return options({ books: open.another() }, service, change);
}

/** Helps again and again, as a companion does, until the run has ended. */
async function helpUntil(ended: Promise<unknown>, helper: SyncOptions): Promise<number> {
  let [shares, over] = [0, false];
  const end = () => (over = true);
  ended.then(end, end);
  while (!over) {
    shares += await helpSync(helper);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return shares;
}

/** Lets each page wait, so that one companion alone would not come to all days first. */
function slow(service: Service): Service {
  service.before = async () => {
    await new Promise((resolve) => systemClock.after(2, () => resolve(undefined)));
    return undefined;
  };
  return service;
}

async function stateOf({ db }: OpenBooks) {
  const slices = await db
    .selectFrom('funding_slices')
    .select(['day', 'state', 'rows', 'sums', 'hash', 'quarantined'])
    .orderBy('day')
    .execute();
  const versions = await db
    .selectFrom('funding_versions')
    .select(['id', 'version', 'hash', 'reason'])
    .orderBy('id')
    .orderBy('version')
    .execute();
  return { slices, versions };
}

async function leftOver({ db }: OpenBooks) {
  const shares = await db.selectFrom('funding_shares').select('ordinal').execute();
  const leases = await db.selectFrom('leases').select('name').execute();
  return [...shares, ...leases];
}

describe('a sync that companions share', () => {
  test('is what one alone makes of it, and each has had a part', async () => {
    const records = wireHistory(300, from, DAYS);
    const alone = await openPlace();
    await runSync(options(alone, historyService(records)), { runId: 'run-1', ...range });

    const open = await openPlace();
    const service = slow(historyService(records));
    const progress: number[] = [];
    const leading = runSync(
      {
        ...companion(open, service, 'one'),
        onProgress: ({ slicesDone }) => progress.push(slicesDone),
      },
      { runId: 'run-1', ...range },
    );
    const helped = await Promise.all([
      helpUntil(leading, companion(open, service, 'two')),
      helpUntil(leading, companion(open, service, 'three')),
    ]);
    expect(await leading).toMatchObject({
      state: 'complete',
      slicesPlanned: DAYS,
      slicesDone: DAYS,
      rows: 300,
      changed: 300,
    });
    expect(helped.every((shares) => shares > 0)).toBe(true);
    expect(helped.reduce((sum, shares) => sum + shares, 0)).toBeLessThan(DAYS / 2);
    expect(progress.at(-1)).toBe(DAYS);
    expect(progress).toEqual(progress.toSorted((one, other) => one - other));
    expect(await facts(open)).toEqual(truth(records));
    expect(await stateOf(open)).toEqual(await stateOf(alone));
    expect(await dirtyKeys(open)).toEqual(await dirtyKeys(alone));
    expect(await leftOver(open)).toEqual([]);
  });

  test('has each funding once that moves while several read', async () => {
    for (const seed of [1, 2]) {
      const open = await openPlace();
      const service = slow(historyService(wireHistory(200, from, DAYS, seed)));
      await runSync(companion(open, service, 'one'), { runId: 'run-1', ...range });
      const pause = service.before;
      let moved = 0;
      service.before = async (call, query) => {
        // To another share, and while both may be read.
        if (call % 3 === 0 && moved < MOVES) {
          const at = (moved++ * 37) % service.records.length;
          const { lenderReferenceId, fundedAt } = service.records[at] ?? wireRecord(0, from);
          const day = String(1 + ((Number(fundedAt.slice(8, 10)) + 5) % DAYS)).padStart(2, '0');
          service.records = service.records.map((record) =>
            record.lenderReferenceId === lenderReferenceId
              ? { ...record, fundedAt: `2026-03-${day}T00:00:00.000Z` }
              : record,
          );
        }
        return pause?.(call, query);
      };
      const leading = runSync(companion(open, service, 'one'), { runId: 'run-2', ...range });
      await helpUntil(leading, companion(open, service, 'two'));
      expect((await leading).state).toBe('complete');
      expect(moved).toBe(MOVES);
      expect(await facts(open)).toEqual(truth(service.records));
    }
  });

  test('a funding that two write on two days at the same moment is there once in the end', async () => {
    const open = await openPlace();
    const days = { from, to: '2026-03-04' };
    const others = wireHistory(40, from, 4);
    const on = (day: string) =>
      historyService([...others, wireRecord(900, `${day}T00:00:00.000Z`)]);
    // Its old day is read before it is re-dated, its new one after.
    const [before, after] = [on(from), on(days.to)];
    let isRedated = false;
    const fetchPage: FetchPage = (query) =>
      (isRedated || query.to > '2026-03-03' ? after : before).fetchPage(query);
    const both = Promise.withResolvers<unknown>();
    let ready = 0;
    /** Goes on once both have the funding in hand, and neither has written it. */
    function meeting(options: SyncOptions): SyncOptions {
      const { books } = options;
      const write: typeof books.write = async (fence, batch) => {
        const isMet = batch.changed.some(({ funding }) => funding.lenderReferenceId === 'LR-900');
        if (isMet && ready < 2) {
          ready += 1;
          if (ready === 2) both.resolve(undefined);
          await both.promise;
          isRedated = true;
        }
        await books.write(fence, batch);
      };
      return { ...options, books: { ...books, write } };
    }
    const [one, two] = ['one', 'two'].map((name) => meeting(companion(open, { fetchPage }, name)));
    if (!one || !two) throw new Error('There are two.');
    const leading = runSync(one, { runId: 'run-1', ...days });
    await helpUntil(leading, two);
    expect(ready).toBe(2);
    expect((await leading).state).toBe('complete');
    expect(await facts(open)).toEqual(truth(after.records));
  });

  test('an order that is paid in parts on days of several shares is there on each of them', async () => {
    const open = await openPlace();
    const parts = [from, '2026-03-05', to].map((day) => wireRecord(900, `${day}T00:00:00.000Z`));
    const service = slow(historyService([...wireHistory(60, from, DAYS), ...parts]));
    for (const runId of ['run-1', 'run-2']) {
      const leading = runSync(companion(open, service, 'one'), { runId, ...range });
      await helpUntil(leading, companion(open, service, 'two'));
      expect(await leading).toMatchObject({ state: 'complete', slicesUnproven: 0 });
      expect(await facts(open)).toEqual(truth(service.records));
    }
  });

  test('a share of a companion that died is read by another one, and its days are not read twice', async () => {
    const open = await openPlace();
    const service = slow(historyService(wireHistory(120, from, DAYS)));
    const dying = companion(open, service, 'dying');
    let written = 0;
    const { books } = dying;
    const died = Promise.withResolvers<unknown>();
    // It proves the first of two days, and nothing is heard of it again.
    dying.books = {
      ...books,
      async write(fence, batch) {
        if (written > 0) await new Promise(died.resolve);
        await books.write(fence, batch);
        if (batch.slice?.state === 'complete') written += 1;
      },
      renewLease: () => Promise.resolve(true),
    };
    const leading = runSync(companion(open, service, 'one'), { runId: 'run-1', ...range });
    void helpUntil(leading, dying);
    await died.promise;
    expect(await leading).toMatchObject({ state: 'complete', slicesDone: DAYS, rows: 120 });
    expect(written).toBe(1);
    expect(await facts(open)).toEqual(truth(service.records));
  });

  test('a leader that stood still loses the share it was at, and goes on', async () => {
    const open = await openPlace();
    const service = slow(historyService(wireHistory(120, from, DAYS)));
    const leader = companion(open, service, 'one');
    const { books } = leader;
    let stands = true;
    leader.books = {
      ...books,
      async write(fence, batch) {
        if (fence.share && stands) {
          stands = false;
          const { plan, ordinal } = fence.share;
          // As if its time were over: another one takes it before this one goes on.
          const named = open.db.updateTable('funding_shares').where('plan', '=', plan);
          await named.set({ until: 0 }).where('ordinal', '=', ordinal).execute();
          expect(await helpSync(companion(open, service, 'two'))).toBeGreaterThan(0);
        }
        await books.write(fence, batch);
      },
      renewLease: (fence, until) =>
        fence.share ? Promise.resolve(true) : books.renewLease(fence, until),
    };
    const run = await runSync(leader, { runId: 'run-1', ...range });
    expect(run).toMatchObject({ state: 'complete', slicesDone: DAYS, rows: 120, changed: 120 });
    expect(await facts(open)).toEqual(truth(service.records));
  });

  test('what another leader has cut anew is not written by who had a share before', async () => {
    const open = await openPlace();
    const service = slow(historyService(wireHistory(120, from, DAYS)));
    const stop = new AbortController();
    const first = { ...companion(open, service, 'one'), stop: stop.signal };
    const helper = companion(open, service, 'two');
    const { books } = helper;
    const [reached, goOn] = [Promise.withResolvers<unknown>(), Promise.withResolvers<unknown>()];
    let refused: unknown;
    helper.books = {
      ...books,
      async write(fence, batch) {
        reached.resolve(undefined);
        await goOn.promise;
        await books.write(fence, batch).catch((error: unknown) => {
          refused = error;
          throw error;
        });
      },
    };
    const leading = runSync(first, { runId: 'run-1', ...range });
    const helping = helpUntil(leading, helper);
    await reached.promise;
    stop.abort();
    await expect(leading).rejects.toThrow('asked to stop');
    // Taken up where it was, with what has been counted.
    const run = await runSync(companion(open, service, 'three'), { runId: 'run-2', ...range });
    goOn.resolve(undefined);
    expect(await helping).toBe(0);
    expect(refused).toBeInstanceOf(LeaseLostError);
    expect(run).toMatchObject({ id: 'run-1', state: 'complete', slicesDone: DAYS, rows: 120 });
    expect(await facts(open)).toEqual(truth(service.records));
    expect(await leftOver(open)).toEqual([]);
  });

  test('a helper that gets no pages gives its share back', async () => {
    const open = await openPlace();
    const service = slow(historyService(wireHistory(120, from, DAYS)));
    const cutOff: FetchPage = () => Promise.resolve({ kind: 'failed', reason: 'connection-lost' });
    const leading = runSync(companion(open, service, 'one'), { runId: 'run-1', ...range });
    const helped = await helpUntil(leading, companion(open, { fetchPage: cutOff }, 'two'));
    expect(helped).toBe(0);
    expect(await leading).toMatchObject({ state: 'complete', slicesDone: DAYS, rows: 120 });
  });

  test('a leader that gets no pages leaves its days to who does, and says why where nobody does', async () => {
    const open = await openPlace();
    const records: WireRecord[] = wireHistory(120, from, DAYS);
    const service = slow(historyService(records));
    const cutOff: FetchPage = () => Promise.resolve({ kind: 'failed', reason: 'connection-lost' });
    const alone = await runSync(companion(open, { fetchPage: cutOff }, 'one'), {
      runId: 'run-1',
      ...range,
    });
    expect(alone).toMatchObject({ state: 'failed', slicesDone: 0, slicesUnproven: DAYS });
    expect(alone.reason).toContain('connection-lost');

    const taken = Promise.withResolvers<unknown>();
    const helping: FetchPage = (query) => {
      taken.resolve(undefined);
      return service.fetchPage(query);
    };
    const isTaken: FetchPage = (query) => taken.promise.then(() => cutOff(query));
    const leading = runSync(companion(open, { fetchPage: isTaken }, 'one'), {
      runId: 'run-2',
      ...range,
    });
    expect(await helpUntil(leading, companion(open, { fetchPage: helping }, 'two'))).toBe(DAYS / 2);
    expect(await leading).toMatchObject({ state: 'complete', slicesDone: DAYS, reason: undefined });
    expect(await facts(open)).toEqual(truth(records));
  });

  test('days of another zone than a companion’s are left to others', async () => {
    const open = await openPlace();
    const service = slow(historyService(wireHistory(60, from, DAYS)));
    const leading = runSync(companion(open, service, 'one'), { runId: 'run-1', ...range });
    const other = companion(open, service, 'two');
    other.settings = { ...other.settings, zone: 'Europe/Berlin' };
    expect(await helpUntil(leading, other)).toBe(0);
    expect((await leading).state).toBe('complete');
  });
});
