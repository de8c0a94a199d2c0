import { describe, expect, test } from 'vitest';
import { addDays } from '@financing-checkout/contract/money';
import type { FundingDay } from '../facts/store.ts';
import { daysToRead, tieredRange } from './plan.ts';
import { defaultTiers } from './settings.ts';

const HOUR_MS = 3_600_000;
const today = '2026-03-31';
const now = Date.parse(`${today}T12:00:00Z`);

function funded(day: string, hoursAgo: number, change: Partial<FundingDay> = {}): FundingDay {
  return {
    day,
    number: 1,
    state: 'complete',
    reason: undefined,
    zone: 'UTC',
    syncId: 'before',
    passes: 2,
    pages: 2,
    overlaps: 0,
    count: 1,
    changed: 0,
    gone: 0,
    digest: '',
    provenAt: now - hoursAgo * HOUR_MS,
    ...change,
  };
}

function plan(days: FundingDay[], change = {}) {
  const run = {
    id: 'sync',
    ...tieredRange(today, defaultTiers),
    zone: 'UTC',
    tiers: true,
    startedAt: now,
    ...change,
  };
  return daysToRead(run, { now, today }, days, defaultTiers);
}

/** Returns all days of the range, read the given number of hours ago. */
const all = (hoursAgo: number) =>
  Array.from({ length: 402 }, (_, back) => funded(addDays(today, 1 - back), hoursAgo));

describe('the days to read', () => {
  test('plans all days at first, newest first, up to tomorrow', () => {
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

  test.each([{ state: 'unproven' }, { state: 'stale' }, { zone: 'Asia/Tokyo' }] as const)(
    'a day with state %j, at any age',
    (change) => {
      const old = addDays(today, -300);
      const days = all(1).map((one) => (one.day === old ? { ...one, ...change } : one));
      expect(plan(days)).toContain(old);
    },
  );

  test('plans only unread days of a resumed sync', () => {
    const days = all(200).map((one) =>
      one.day > '2026-03-01' ? funded(one.day, 1, { syncId: 'sync' }) : one,
    );
    expect(plan(days)[0]).toBe('2026-03-01');
  });

  test('plans days again if a sync is resumed days later, because lenders keep posting', () => {
    const range = { tiers: false, fromDay: '2026-03-01', toDay: '2026-03-03' };
    const read = (hoursAgo: number) => funded('2026-03-03', hoursAgo, { syncId: 'sync' });
    const taken = { ...range, startedAt: now - 300 * HOUR_MS };
    expect(plan([read(300)], taken)).toEqual(['2026-03-03', '2026-03-02', '2026-03-01']);
    expect(plan([read(23)], taken)).toEqual(['2026-03-02', '2026-03-01']);
  });

  test('plans all days of a requested range', () => {
    const range = { tiers: false, fromDay: '2026-01-01', toDay: '2026-01-03' };
    expect(plan(all(1), range)).toEqual(['2026-01-03', '2026-01-02', '2026-01-01']);
  });
});
