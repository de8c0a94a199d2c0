import { addDays, daysBetween } from '@financing-checkout/contract/money';
import { Calendar, isZone } from '@financing-checkout/reconciliation-rules/calendar';
import type { FundingDay } from '../facts/store.ts';
import { isOfOneZone, isReadToItsEnd } from './proof.ts';

/** A day whose report is not proven. */
export interface UnprovenDay {
  day: string;
  state: string;
  reason?: string;
}

/** The range of days that should be proven. */
export interface DayRange {
  from: string;
  to: string;
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
  // Ends today, because the proof of tomorrow is not due yet.
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
