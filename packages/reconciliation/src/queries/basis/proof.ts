import { addDays, daysBetween } from '@financing-checkout/contract/money';
import { Calendar, isZone } from '@financing-checkout/reconciliation-rules/calendar';
import type { FundingDay } from '../../facts/store.ts';

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

/** A day whose report is not proven. */
export interface UnprovenDay {
  day: string;
  state: string;
  reason?: string;
}

/** The range of days that should be proven. */
interface DayRange {
  from: string;
  to: string;
  /** Number of days. */
  days: number;
  /** Failed days, followed by unread ones; each group newest first. */
  unproven: UnprovenDay[];
}

const MAX_DAYS = 4_000;
const NEVER_READ = 'never read';

/**
 * Returns the days from the first one ever read until today, and those that are not proven;
 * undefined before the first read.
 * @param days all days ever read, oldest first
 * @param firstPlanned first day of the last sync, which may not have reached all of its days
 */
export function unprovenDays(
  days: readonly FundingDay[],
  { zone, now, firstPlanned }: { zone: string; now: number; firstPlanned: string | undefined },
): DayRange | undefined {
  const [oldest] = days;
  const newest = days.at(-1);
  if (oldest === undefined || newest === undefined) return undefined;
  // Only until today: the proof of tomorrow is not due yet.
  const calendar = new Calendar(zone);
  const today = calendar.dayOf(now);
  const midnight = calendar.startOf(today);
  const to = oldest.day > today ? newest.day : today;
  const first = firstPlanned !== undefined && firstPlanned < oldest.day ? firstPlanned : oldest.day;
  const from = first < addDays(to, -MAX_DAYS) ? addDays(to, -MAX_DAYS) : first;
  const known = new Map(days.map((day) => [day.day, day]));
  const all = daysBetween(from, to);
  const unproven = all.reverse().flatMap((day): UnprovenDay[] => {
    const found = known.get(day);
    if (found?.state === 'complete') {
      const isWhole = isOfOneZone(found, known.get(addDays(day, 1)));
      if (isWhole && isReadToItsEnd(found, calendar, midnight)) return [];
      if (!isZone(found.zone)) {
        const reason = 'read in a time zone that this runtime does not know';
        return [{ day, state: 'stale', reason }];
      }
      const reason = isWhole
        ? 'read before the day ended'
        : 'read in another time zone than the following day';
      return [{ day, state: 'stale', reason }];
    }
    const { state, reason } = found ?? { state: NEVER_READ, reason: undefined };
    return [{ day, state, reason }];
  });
  const isUnread = ({ state }: UnprovenDay) => Number(state === NEVER_READ);
  unproven.sort((one, other) => isUnread(one) - isUnread(other));
  return { from, to, days: all.length, unproven };
}
