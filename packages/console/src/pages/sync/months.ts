import type { Coverage, FundingDay } from '@financing-checkout/contract/reconciliation';
import type { Texts } from '../../locale/locale.ts';

export type DayState = keyof Texts['sync']['states'];

/** One day of the calendar. */
export interface CalendarDay {
  /** ISO 8601, such as 2026-01-31. */
  day: string;
  state: DayState;
  reason?: string | undefined;
  /** Proof of the day, once it has been read. */
  proof?: FundingDay | undefined;
}

/** Returns the month that is `distance` months from the given one, such as 2026-01. */
export function monthFrom(month: string, distance: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + distance, 1)).toISOString().slice(0, 7);
}

/** Returns the last day of a month. */
export function lastDayOf(month: string): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
}

/** Returns a month's weeks, starting on Monday; undefined: a day in another month. */
export function weeksOf(month: string): (string | undefined)[][] {
  const last = Number(lastDayOf(month).slice(8));
  const before = (new Date(`${month}-01`).getUTCDay() + 6) % 7;
  const weeks: (string | undefined)[][] = [];
  for (let first = 1 - before; first <= last; first += 7) {
    weeks.push(
      Array.from({ length: 7 }, (_, index) => {
        const number = first + index;
        return number < 1 || number > last
          ? undefined
          : `${month}-${String(number).padStart(2, '0')}`;
      }),
    );
  }
  return weeks;
}

/**
 * Returns a day with its state. The coverage takes precedence over the proof, because a proven day
 * is stale if it was read before it ended, or in another time zone than the next day.
 */
export function stateOf(
  day: string,
  { from, to, unproven }: Pick<Coverage, 'from' | 'to' | 'unproven'>,
  proofs: ReadonlyMap<string, FundingDay>,
): CalendarDay {
  const proof = proofs.get(day);
  const listed = unproven.find((one) => one.day === day);
  if (listed !== undefined) {
    return { day, state: listed.state as DayState, reason: listed.reason, proof };
  }
  if (proof !== undefined) return { day, state: proof.state, reason: proof.reason, proof };
  const isOutside = from === undefined || to === undefined || day < from || day > to;
  return { day, state: isOutside ? 'outside' : 'never read' };
}
