import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { bookPlaces, runRow } from '../../fundings/books.fixture.ts';
import { fundingsLease, LeaseLostError, type Tally } from '../../fundings/books.ts';
import { emptySlice } from '../../fundings/slice.ts';

const environment = 'sandbox';
const run = {
  ...runRow,
  id: 'run-1',
  state: 'running',
  from_day: '2026-03-01',
  to_day: '2026-03-02',
  started_at: 1,
};

const nothing = { slicesDone: 0, slicesUnproven: 0, rows: 0, changed: 0, gone: 0, quarantined: 0 };

/** Books of a run that is cut into shares; its leader has the lease until 1,000. */
async function openShared(cut: { days: string[][]; counted?: Partial<Tally> }) {
  const [, open] = bookPlaces.find(([name]) => name === 'PostgreSQL') ?? [];
  if (!open) throw new Error('There is no PostgreSQL.');
  const place = await open();
  const { books, db } = place;
  const { shares } = books;
  if (!shares) throw new Error('There are no shares.');
  const lease = fundingsLease(environment);
  const leader = { lease, holder: 'one' };
  await books.takeLease(leader, 1, 1_000);
  await db.insertInto('funding_runs').values(run).execute();
  const counted = { ...nothing, ...cut.counted };
  await shares.cut(leader, { plan: 'p', runId: run.id, counted, shares: cut.days });
  const claim = (holder: string, now: number, zone = 'UTC') =>
    shares.claim(holder, zone, now, now + 100);
  return { ...place, lease, counted, claim };
}

// Each by days of its own, they write beside one another; whoever prices orders touches any day.
test.each(['who writes a share', 'who prices'])(
  'who prices what is held and who writes a share of a sync: one waits for the other (%s comes first)',
  async (first) => {
    const { books, another, db, claim } = await openShared({ days: [['2026-03-01']] });
    const claimed = await claim('two', 2);
    if (!claimed) throw new Error('There is no share.');
    const slice = emptySlice('2026-03-01', 'UTC');
    const done: string[] = [];
    const writing = () =>
      books
        .write(claimed.fence, { now: 1, changed: [], gone: [], slice })
        .then(() => done.push('who writes a share'));
    const pricing = () =>
      another()
        .rewrite([], () => ({ now: 1, changed: [], gone: [], slice }))
        .then(() => done.push('who prices'));
    const waiting = async (kind: 'advisory' | 'relation') => {
      const { rows } = await sql<{ waiting: string }>`select count(*) as waiting from pg_locks
        where not granted and locktype = ${kind}
        and database = (select oid from pg_database where datname = current_database())`.execute(
        db,
      );
      return Number(rows[0]?.waiting);
    };
    const all: Promise<unknown>[] = [];
    await db.transaction().execute(async (tx) => {
      // Keeps the first of the two in the middle of its transaction.
      await sql`lock table funding_slices in exclusive mode`.execute(tx);
      const order = first === 'who prices' ? [pricing, writing] : [writing, pricing];
      all.push(order[0]?.() ?? Promise.reject(new Error('none')));
      await expect.poll(() => waiting('relation'), { timeout: 10_000 }).toBe(1);
      all.push(order[1]?.() ?? Promise.reject(new Error('none')));
      await expect.poll(() => waiting('advisory'), { timeout: 10_000 }).toBe(1);
      expect(done).toEqual([]);
    });
    await Promise.all(all);
    expect(done[0]).toBe(first);
    expect(done).toHaveLength(2);
  },
);

test('a share is written by who holds it, while its leader has the lease, and by nobody else', async () => {
  const { books, lease, counted, claim } = await openShared({
    days: [['2026-03-02'], ['2026-03-01']],
    counted: { slicesDone: 3, rows: 5, changed: 4, gone: 2, quarantined: 1 },
  });
  const two = await claim('two', 2);
  expect(two?.share).toMatchObject({ ordinal: 1, runId: 'run-1', days: ['2026-03-02'] });
  expect(await claim('three', 3, 'Europe/Berlin')).toBeUndefined();
  const three = await claim('three', 3);
  expect(three?.share.days).toEqual(['2026-03-01']);
  expect(await claim('four', 50)).toBeUndefined();
  expect(await books.shares?.state('p', 50)).toEqual({ open: 2, held: 2 });
  if (!two || !three) throw new Error('There are no shares.');
  const tally = { ...counted, slicesDone: 1, rows: 7 };
  const findings = { moved: { d: ['e'] }, lost: {}, proofs: {}, strays: 2 };
  const progress = { now: 1, changed: [], gone: [], share: { tally, findings, isDone: true } };
  await books.write(two.fence, progress);
  expect(await books.shares?.counted('run-1')).toMatchObject({ slicesDone: 4, rows: 12 });
  expect(await books.shares?.counted('run-2')).toBeUndefined();
  expect((await books.shares?.findings('p'))?.map(({ strays }) => strays)).toEqual([0, 2, 0]);
  // Taken by another one after its time, and no longer one's own.
  const four = await claim('four', 103);
  expect(four?.share.ordinal).toBe(2);
  await expect(books.write(three.fence, progress)).rejects.toThrow(LeaseLostError);
  expect(await books.renewLease(three.fence, 900)).toBe(false);
  await books.releaseLease(three.fence);
  expect(await claim('five', 110)).toBeUndefined();
  if (!four) throw new Error('There is no share.');
  expect(await books.renewLease(four.fence, 900)).toBe(true);
  expect(await claim('five', 500)).toBeUndefined();
  await books.releaseLease(four.fence);
  expect((await claim('five', 110))?.share.ordinal).toBe(2);
  // Another leader.
  expect(await books.takeLease({ lease, holder: 'six' }, 1_001, 2_000)).toBe(true);
  await expect(books.write(two.fence, progress)).rejects.toThrow(LeaseLostError);
  expect(await claim('seven', 1_500)).toBeUndefined();
});
