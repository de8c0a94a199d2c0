import type { FundingDay } from '../facts/store.ts';
import { addDays, Calendar } from '../platform/calendar.ts';

/** How far the service's report is known to have been read to the end. */
export interface Proof {
  /**
   * Each day from the oldest line of the ledger, or the first day ever read, until now is proven, and
   * was read after it had ended: what a lender posts later that day is not in a reading before.
   */
  complete: boolean;
  unprovenDays: number;
}

const DAY_MS = 86_400_000;

/**
 * Counts the days that are not proven to their end.
 * @param days all that were ever read, oldest first
 * @param oldestLine when the oldest line of the ledger occurred, in milliseconds since 1970
 */
export function proofOf(
  days: readonly Pick<FundingDay, 'day' | 'state' | 'zone' | 'provenAt'>[],
  oldestLine: number | undefined,
  now: number,
): Proof {
  const calendar = new Calendar(days.at(-1)?.zone ?? 'UTC');
  const today = calendar.dayOf(now);
  const [start] = [
    ...(days[0] === undefined ? [] : [days[0].day]),
    ...(oldestLine === undefined ? [] : [calendar.dayOf(oldestLine)]),
  ].sort();
  if (start === undefined) return { complete: false, unprovenDays: 0 };
  const proven = days.filter(
    (day, index) =>
      day.state === 'complete' &&
      day.day <= today &&
      isOfOneZone(day, days[index + 1]) &&
      isReadToItsEnd(day, calendar, now),
  );
  const all = Math.max(0, Math.round((Date.parse(today) - Date.parse(start)) / DAY_MS) + 1);
  const unprovenDays = Math.max(0, all - proven.length);
  return { complete: unprovenDays === 0, unprovenDays };
}

/**
 * Whether all that was posted on a day is there that could be late by now: lines are late when a UTC
 * day has ended, so that postings since the last midnight are not asked for.
 */
export function isReadToItsEnd(
  { day, provenAt }: Pick<FundingDay, 'day' | 'provenAt'>,
  calendar: Calendar,
  now: number,
): boolean {
  const read = provenAt ?? 0;
  // Of every zone: no day ends later. Most days are told by this alone.
  if (read >= Date.parse(day) + 2 * DAY_MS) return true;
  const midnight = Math.floor(now / DAY_MS) * DAY_MS;
  if (calendar.startOf(day) >= midnight) return true;
  return read >= Math.min(calendar.startOf(addDays(day, 1)), midnight);
}

/**
 * Whether a day and the one after it were read as days of the same zone: between those of two zones
 * there may be hours that are in neither.
 */
export function isOfOneZone(day: { zone: string }, next: { zone: string } | undefined): boolean {
  return next === undefined || next.zone === day.zone;
}
