import { addDays, daysBetween } from '@financing-checkout/contract/money';
import type { FundingDay, SyncRun } from '../facts/store.ts';
import type { Tiers } from './settings.ts';

const HOUR_MS = 3_600_000;
/** A resumed sync reads days again if it last read them longer ago than this. */
export const RESUME_MS = 24 * HOUR_MS;

/** Slightly less than a day and a week, because syncs do not start on the minute. */
const WARM_MS = 22 * HOUR_MS;
const COLD_MS = 6.5 * 24 * HOUR_MS;

/**
 * Returns the days that a sync has to read, newest first, except those that it has read recently.
 * @param at `now` in milliseconds since 1970, and its day; the sync may have started long ago
 */
export function daysToRead(
  run: Pick<SyncRun, 'id' | 'fromDay' | 'toDay' | 'zone' | 'tiers' | 'startedAt'>,
  { now, today }: { now: number; today: string },
  days: readonly FundingDay[],
  tiers: Tiers,
): string[] {
  const known = new Map(days.map((day) => [day.day, day]));
  return daysBetween(run.fromDay, run.toDay)
    .reverse()
    .filter((day) => {
      const found = known.get(day);
      if (found?.state !== 'complete' || found.zone !== run.zone) return true;
      if (found.syncId === run.id) return now - (found.provenAt ?? 0) >= RESUME_MS;
      if (!run.tiers || day > addDays(today, -tiers.hotDays)) return true;
      const age = run.startedAt - (found.provenAt ?? 0);
      return age >= (day > addDays(today, -tiers.warmDays) ? WARM_MS : COLD_MS);
    });
}

/**
 * Returns the days that are due because of their age, up to tomorrow, because lenders use future
 * dates and time zones differ.
 */
export function tieredRange(
  today: string,
  { coldDays }: Tiers,
): { fromDay: string; toDay: string } {
  return { fromDay: addDays(today, -coldDays), toDay: addDays(today, 1) };
}
