import { describe, expect, test } from 'vitest';
import type { SliceRow } from './books.ts';
import { addDays } from './calendar.ts';
import { daysToRead, defaultTiers, tieredRange } from './plan.ts';

const HOUR_MS = 3_600_000;
const today = '2026-03-31';
const now = Date.parse(`${today}T12:00:00Z`);

function slice(day: string, hoursAgo: number, change: Partial<SliceRow> = {}): SliceRow {
  return {
    day,
    state: 'complete',
    reason: undefined,
    runId: 'before',
    passes: 2,
    pages: 2,
    overlaps: 0,
    rows: 1,
    changed: 0,
    gone: 0,
    quarantined: 0,
    sums: {},
    hash: '',
    zone: 'UTC',
    syncedAt: now - hoursAgo * HOUR_MS,
    ...change,
  };
}

function plan(slices: SliceRow[], change = {}) {
  const run = {
    id: 'run',
    ...tieredRange(today, defaultTiers),
    zone: 'UTC',
    tiers: true,
    startedAt: now,
    ...change,
  };
  return daysToRead(run, { now, today }, slices, defaultTiers);
}

/** All days of the range, read so many hours ago. */
const all = (hoursAgo: number, change: Partial<SliceRow> = {}) =>
  Array.from({ length: 402 }, (_, back) => slice(addDays(today, 1 - back), hoursAgo, change));

describe('which days are read', () => {
  test('at first all of them, newest first, up to tomorrow', () => {
    const days = plan([]);
    expect(days).toHaveLength(402);
    expect([days[0], days.at(-1)]).toEqual(['2026-04-01', addDays(today, -400)]);
  });

  test.each([
    [1, 8],
    [23, 36],
    [24 * 7, 402],
  ])('%i hours later: %i days', (hours, count) => {
    const days = plan(all(hours));
    expect(days).toHaveLength(count);
    expect(days[0]).toBe('2026-04-01');
  });

  test('one that is not proven, or was another zone’s day, whatever its age', () => {
    const old = addDays(today, -300);
    for (const change of [
      { state: 'unproven' },
      { state: 'writing' },
      { zone: 'Asia/Tokyo' },
    ] as const) {
      const slices = all(1).map((row) => (row.day === old ? { ...row, ...change } : row));
      expect(plan(slices)).toContain(old);
    }
  });

  test('of a run that is taken up, those it has not read', () => {
    const slices = all(200).map((row) =>
      row.day > '2026-03-01' ? slice(row.day, 1, { runId: 'run' }) : row,
    );
    expect(plan(slices)[0]).toBe('2026-03-01');
  });

  test('of a run that is taken up after days, also those that it had read: lenders go on posting', () => {
    const range = { tiers: false, fromDay: '2026-03-01', toDay: '2026-03-03' };
    const read = (hoursAgo: number) => slice('2026-03-03', hoursAgo, { runId: 'run' });
    const taken = { ...range, startedAt: now - 300 * HOUR_MS };
    expect(plan([read(300)], taken)).toEqual(['2026-03-03', '2026-03-02', '2026-03-01']);
    expect(plan([read(23)], taken)).toEqual(['2026-03-02', '2026-03-01']);
  });

  test('of a range that somebody asked for, all', () => {
    const range = { tiers: false, fromDay: '2026-01-01', toDay: '2026-01-03' };
    expect(plan(all(1), range)).toEqual(['2026-01-03', '2026-01-02', '2026-01-01']);
  });
});
