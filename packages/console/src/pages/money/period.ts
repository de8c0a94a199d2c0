import { formats } from '../../locale/locale.ts';

/** Days in the business time zone, both inclusive. */
export interface Period {
  from: string;
  to: string;
}

const dayOf = (year: number, month: number, day: number): string =>
  new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);

/** Returns the month that is `offset` months from a day's month. */
export function monthOf(day: string, offset = 0): Period {
  const year = Number(day.slice(0, 4));
  const month = Number(day.slice(5, 7)) - 1 + offset;
  return { from: dayOf(year, month, 1), to: dayOf(year, month + 1, 0) };
}

/** Returns the last full month in the business time zone. */
export function lastFullMonth(now = new Date()): Period {
  return monthOf(formats().isoDay(now.getTime()), -1);
}

/** Returns the period in the URL; default: the last full month. */
export function periodOf(
  chosen: Readonly<Record<string, string>>,
  now = new Date(),
): Partial<Period> {
  if (chosen.from === undefined && chosen.to === undefined) return lastFullMonth(now);
  return {
    from: chosen.from,
    to: chosen.to,
  };
}

/** Returns the quarter that is `offset` quarters from a day's quarter. */
export function quarterOf(day: string, offset = 0): Period {
  const year = Number(day.slice(0, 4));
  const month = Math.floor((Number(day.slice(5, 7)) - 1) / 3) * 3 + offset * 3;
  return { from: dayOf(year, month, 1), to: dayOf(year, month + 3, 0) };
}

/** Returns the year that is `offset` years from a day's year. */
export function yearOf(day: string, offset = 0): Period {
  const year = Number(day.slice(0, 4)) + offset;
  return { from: dayOf(year, 0, 1), to: dayOf(year, 12, 0) };
}

/** Pairs of periods to compare, by name: the later period first. */
export const comparisons = {
  month: (today) => [monthOf(today), monthOf(today, -1)],
  lastMonth: (today) => [monthOf(today, -1), monthOf(today, -2)],
  monthOfLastYear: (today) => [monthOf(today), monthOf(today, -12)],
  quarter: (today) => [quarterOf(today), quarterOf(today, -1)],
  quarterOfLastYear: (today) => [quarterOf(today), quarterOf(today, -4)],
  year: (today) => [yearOf(today), yearOf(today, -1)],
} satisfies Record<string, (today: string) => [Period, Period]>;
export type ComparisonName = keyof typeof comparisons;
