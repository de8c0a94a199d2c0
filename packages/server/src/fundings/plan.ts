import type { RunRow, SliceRow } from './books.ts';
import { addDays, daysBetween } from './calendar.ts';

const HOUR_MS = 3_600_000;
/** What a run that was cut off has read longer ago than this is read again when it is taken up. */
export const RESUME_MS = 24 * HOUR_MS;

/**
 * How often a day is read again, by its age: the service has no filter for what was changed since
 * (reference: Funding API), and lenders change what they posted.
 */
export interface Tiers {
  /** Days that each run reads. */
  hotDays: number;
  /** Days that are read once a day. */
  warmDays: number;
  /** Days that are read once a week; as far back as lenders take refunds and disputes. */
  coldDays: number;
}

export const defaultTiers: Tiers = { hotDays: 7, warmDays: 35, coldDays: 400 };

/** A little less than the day and the week they stand for: runs do not begin to the minute. */
const WARM_MS = 22 * HOUR_MS;
const COLD_MS = 6.5 * 24 * HOUR_MS;

/**
 * The days of a run that have to be read, newest first; those it has just read are left out.
 * @param now milliseconds since 1970; the run may have begun long ago
 */
export function daysToRead(
  run: Pick<RunRow, 'id' | 'fromDay' | 'toDay' | 'zone' | 'tiers' | 'startedAt'>,
  { now, today }: { now: number; today: string },
  slices: readonly SliceRow[],
  tiers: Tiers,
): string[] {
  const known = new Map(slices.map((slice) => [slice.day, slice]));
  return daysBetween(run.fromDay, run.toDay)
    .reverse()
    .filter((day) => {
      const slice = known.get(day);
      if (slice?.state !== 'complete' || slice.zone !== run.zone) return true;
      if (slice.runId === run.id) return now - (slice.syncedAt ?? 0) >= RESUME_MS;
      if (!run.tiers || day > addDays(today, -tiers.hotDays)) return true;
      const age = run.startedAt - (slice.syncedAt ?? 0);
      return age >= (day > addDays(today, -tiers.warmDays) ? WARM_MS : COLD_MS);
    });
}

/** The days that are read by their age, up to tomorrow: lenders date ahead, and so do time zones. */
export function tieredRange(
  today: string,
  { coldDays }: Tiers,
): { fromDay: string; toDay: string } {
  return { fromDay: addDays(today, -coldDays), toDay: addDays(today, 1) };
}
