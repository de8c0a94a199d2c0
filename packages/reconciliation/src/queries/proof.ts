import { addDays } from '@financing-checkout/contract/money';
import { Calendar, isZone } from '@financing-checkout/reconciliation-rules/calendar';
import type { FundingDay } from '../facts/store.ts';

/** Completeness of the service's report. */
export interface Proof {
  /**
   * Whether each day since the oldest ledger line, or since the first day ever read, is proven up
   * to now by a read after the day ended: an earlier read lacks later postings of that day.
   */
  complete: boolean;
  unprovenDays: number;
}

const DAY_MS = 86_400_000;

/**
 * Counts the days that are not completely proven.
 * @param days all days ever read, oldest first
 * @param oldestLine time of the oldest ledger line, in milliseconds since 1970
 * @param midnight start of the current day in the business zone
 */
export function proofOf(
  days: readonly Pick<FundingDay, 'day' | 'state' | 'zone' | 'provenAt'>[],
  oldestLine: number | undefined,
  { now, midnight }: { now: number; midnight: number },
): Proof {
  const calendar = calendarOfDays(days, 'UTC');
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
      isReadToItsEnd(day, calendar, midnight),
  );
  const all = Math.max(0, Math.round((Date.parse(today) - Date.parse(start)) / DAY_MS) + 1);
  const unprovenDays = Math.max(0, all - proven.length);
  return { complete: unprovenDays === 0, unprovenDays };
}

/**
 * Returns the calendar in which the newest day was read.
 * @param zone fallback without days, and for a recorded zone that this runtime does not know, because
 *   releases of the time zone database rename and remove zones
 */
export function calendarOfDays(days: readonly { zone: string }[], zone: string): Calendar {
  const recorded = days.at(-1)?.zone ?? zone;
  return new Calendar(isZone(recorded) ? recorded : zone);
}

/**
 * Returns whether the day has all postings that late lines depend on. Lines become late when a day
 * of the business zone ends, so postings since its last midnight do not matter.
 */
export function isReadToItsEnd(
  { day, zone, provenAt }: Pick<FundingDay, 'day' | 'zone' | 'provenAt'>,
  calendar: Calendar,
  midnight: number,
): boolean {
  const read = provenAt ?? 0;
  // In most cases, the latest end of this day in any time zone decides.
  if (read >= Date.parse(day) + 2 * DAY_MS) return true;
  if (!isZone(zone)) return false;
  if (calendar.startOf(day) >= midnight) return true;
  return read >= Math.min(calendar.startOf(addDays(day, 1)), midnight);
}

/**
 * Returns whether a day and the following one were read in the same zone: between days of two
 * zones, some hours may be in neither.
 */
export function isOfOneZone(day: { zone: string }, next: { zone: string } | undefined): boolean {
  return next === undefined || next.zone === day.zone;
}
