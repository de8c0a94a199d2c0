import { coverageSchema, fundingSlicesSchema, syncsSchema } from '@financing-checkout/contract';
import { expect, test, vi } from 'vitest';
import { BACK_OFFICE_TOKEN, START } from '../companion.fixture.ts';
import { runRow } from '../fundings/books.fixture.ts';
import { addDays } from '../fundings/calendar.ts';
import { DAY_MS, reconciledCompanion } from '../reconciliation/reconciled.fixture.ts';

const environment = 'sandbox' as const;
const today = new Date(START).toISOString().slice(0, 10);

/** A companion with the rows of these runs. */
async function withRuns(runs: readonly { id: string; startedAt: number; state?: string }[]) {
  const companion = await reconciledCompanion();
  const values = runs.map(({ id, startedAt, state = 'complete' }) => ({
    ...runRow,
    ...{ id, state, started_at: startedAt, from_day: today, to_day: today },
  }));
  if (values.length > 0) await companion.db.insertInto('funding_runs').values(values).execute();
  return companion;
}

type Companion = Awaited<ReturnType<typeof withRuns>>;

test('syncs are listed newest first, page by page, to the end', async () => {
  // Two began at each moment.
  const runs = Array.from({ length: 201 }, (_, n) => ({
    id: `sync_${String(n).padStart(3, '0')}`,
    startedAt: START + Math.floor(n / 2),
  }));
  const companion = await withRuns(runs);
  const pages: string[][] = [];
  const list = async () => {
    pages.length = 0;
    let before = '';
    for (;;) {
      const { body } = await companion.office(`/reconciliation/syncs${before}`);
      const { syncs, next } = syncsSchema.parse(body);
      pages.push(syncs.map(({ id }) => id));
      if (next === undefined) return pages.flat();
      before = `?before=${next}`;
    }
  };
  expect(await list()).toEqual(runs.map(({ id }) => id).reverse());
  expect(pages.map(({ length }) => length)).toEqual([100, 100, 1]);
  // A page that is just full is the last one.
  await companion.db.deleteFrom('funding_runs').where('id', '=', 'sync_000').execute();
  expect(await list()).toHaveLength(200);
  expect(pages).toHaveLength(2);
});

/** What is told of a sync, half a second after the other. */
async function follow(companion: Companion, id: string) {
  const response = await companion.backOffice.request(`/reconciliation/syncs/${id}/events`, {
    headers: { authorization: `Bearer ${BACK_OFFICE_TOKEN}` },
  });
  const body: ReadableStream<Uint8Array> | null = response.body;
  const reader = body?.getReader();
  if (!reader) throw new Error('Nothing was answered.');
  const said: string[] = [];
  let failure: unknown;
  const ended = (async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      said.push(new TextDecoder().decode(value));
    }
  })().catch((error: unknown) => (failure = error));
  return {
    reader,
    ended,
    failure: () => failure,
    after: async (looks: number) => {
      said.length = 0;
      for (let look = 0; look < looks; look++) {
        companion.clock.advance(500);
        for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
      }
      return said.map((text) => text.split('\n')[0]);
    },
  };
}

test('who follows a sync of which nothing is new hears every 15 seconds that it is there', async () => {
  const companion = await withRuns([{ id: 'sync_1', startedAt: START, state: 'running' }]);
  const lease = { name: 'fundings:sandbox', holder: 'one', until: START + 600_000 };
  await companion.db.insertInto('leases').values(lease).execute();
  const change = (set: { rows?: number; state?: string }) =>
    companion.db.updateTable('funding_runs').set(set).execute();
  const { after, ended } = await follow(companion, 'sync_1');
  expect(await after(29)).not.toContain(': still there');
  expect(await after(1)).toEqual([': still there']);
  expect(await after(30)).toEqual([': still there']);
  expect(await after(20)).toEqual([]);
  await change({ rows: 7 });
  expect(await after(1)).toEqual(['event: sync']);
  expect(await after(29)).toEqual([]);
  expect(await after(1)).toEqual([': still there']);
  await change({ state: 'complete' });
  expect(await after(1)).toEqual(['event: sync']);
  await ended;
});

test('who follows a sync no more is looked for no more, and hears of a store that fails', async () => {
  const companion = await withRuns([{ id: 'sync_1', startedAt: START, state: 'running' }]);
  const looks = vi.spyOn(companion.store, 'syncRun');
  const left = await follow(companion, 'sync_1');
  await left.after(2);
  await left.reader.cancel();
  looks.mockClear();
  await left.after(3);
  expect(looks).not.toHaveBeenCalled();
  const other = await follow(companion, 'sync_1');
  looks.mockRejectedValueOnce(new Error('the disk is gone'));
  await other.after(1);
  await other.ended;
  expect(other.failure()).toMatchObject({ message: 'the disk is gone' });
});

async function coverageOf(companion: Companion) {
  const { body } = await companion.office('/reconciliation/coverage');
  return coverageSchema.parse(body);
}

test('of very many days that are not proven, and records not held, the newest are listed', async () => {
  const companion = await withRuns([{ id: 'sync_1', startedAt: START }]);
  await companion.prove(3);
  const change = (back: number, set: { day?: string; rows: number; synced_at?: number }) =>
    companion.db
      .updateTable('funding_slices')
      .set(set)
      .where('day', '=', addDays(today, -back))
      .execute();
  await change(1, { rows: 1, synced_at: START - 2 * DAY_MS });
  await change(2, { rows: 4_001, day: addDays(today, -4_001) });
  await companion.db
    .insertInto('funding_quarantine')
    .values(
      Array.from({ length: 101 }, (_, n) => ({
        ...{ environment, id: `f${n}`, slice_day: today, order_key: null },
        ...{ reason: 'netAmount: amount-invalid', raw: '{}', seen_at: START + n },
      })),
    )
    .execute();
  const { from, to, days, unproven, unprovenDays, records, quarantined } =
    await coverageOf(companion);
  expect([from, to, days]).toEqual([addDays(today, -4_000), today, 4_001]);
  expect([unproven.length, unprovenDays, quarantined.length]).toEqual([100, 4_000, 100]);
  expect(unproven.slice(0, 2)).toEqual([
    { day: addDays(today, -1), state: 'stale', reason: 'read before the day had ended' },
    { day: addDays(today, -2), state: 'never read' },
  ]);
  expect(records).toBe(4_002);
});

test('days are asked for one by one, from one on, and up to one', async () => {
  const companion = await withRuns([]);
  await companion.prove(4);
  const daysOf = async (query: string) => {
    const { body } = await companion.office(`/reconciliation/slices${query}`);
    return fundingSlicesSchema.parse(body).slices.map(({ day }) => day);
  };
  const all = [3, 2, 1, 0].map((back) => addDays(today, -back));
  expect(await daysOf('')).toEqual(all);
  expect(await daysOf(`?from=${all[1]}&to=${all[1]}`)).toEqual([all[1]]);
  expect(await daysOf(`?from=${all[2]}`)).toEqual(all.slice(2));
  expect(await daysOf(`?to=${all[1]}`)).toEqual(all.slice(0, 2));
  expect(
    (await companion.office(`/reconciliation/slices?from=${all[2]}&to=${all[1]}`)).status,
  ).toBe(400);
  expect((await companion.office('/reconciliation/coverage?from=x')).status).toBe(400);
});

test('where only a day to come was read, coverage is of that day', async () => {
  const companion = await withRuns([]);
  await companion.prove(1);
  const tomorrow = addDays(today, 1);
  await companion.db.updateTable('funding_slices').set({ day: tomorrow }).execute();
  expect(await coverageOf(companion)).toMatchObject({ from: tomorrow, to: tomorrow, days: 1 });
});
