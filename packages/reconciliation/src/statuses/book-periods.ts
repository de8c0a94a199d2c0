import { addDays } from '@financing-checkout/contract/money';
import { z } from 'zod';

/** An accounting period. Days are in the business time zone, both inclusive. */
export interface Period {
  /** `2026-10`, `2026-P09`, or a name from the policy. */
  id: string;
  from: string;
  to: string;
}

const day = z.iso.date({ error: 'must be a day, such as 2026-02-01' });
const name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/, 'must be 1 to 32 letters, digits, - and _');
const WEEKS = 52;

/** Field `periods` of the policy file. */
export const periodsSchema = z
  .union(
    [
      z.literal('months'),
      z.strictObject({
        /** Weeks in the three periods of each quarter. */
        weeks: z.enum(['4-4-5', '4-5-4', '5-4-4']),
        /** First day of each business year; a year without a following one has 52 weeks. */
        years: z.array(day).min(1).max(200),
      }),
      z
        .array(z.strictObject({ id: name, from: day, to: day }))
        .min(1)
        .max(2_000),
    ],
    {
      error:
        'must be "months", { "weeks": "4-4-5", "years": ["2026-02-01"] }, or a list of { "id", "from", "to" }',
    },
  )
  .superRefine((value, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    if (Array.isArray(value)) {
      value.forEach((period, index) => {
        const next = value[index + 1];
        if (period.to < period.from) refuse(`has a period that ends before it begins: ${index}`);
        if (next !== undefined && next.from !== addDays(period.to, 1)) {
          refuse(`has a gap or an overlap after period ${index}`);
        }
      });
      if (new Set(value.map(({ id }) => id)).size < value.length) refuse('repeats an id');
    } else if (value !== 'months') {
      value.years.forEach((start, index) => {
        const next = value.years[index + 1];
        if (next === undefined) return;
        const weeks = daysFrom(start, next) / 7;
        if (weeks !== WEEKS && weeks !== WEEKS + 1) {
          refuse(`has a year of ${weeks} weeks instead of 52 or 53: ${index}`);
        }
      });
    }
  });
/** The calendar of accounting periods. */
export type PeriodCalendar = z.infer<typeof periodsSchema>;

/** Returns the period of a day; undefined if the calendar does not cover the day. */
export function periodOf(calendar: PeriodCalendar, date: string): Period | undefined {
  if (Array.isArray(calendar)) return calendar.find(({ from, to }) => from <= date && date <= to);
  if (calendar === 'months') return monthOf(date);
  const { years, weeks } = calendar;
  const [first = ''] = years;
  if (date < first) return undefined;
  const stated = years.filter((start) => start <= date).at(-1) ?? first;
  const following = years.find((start) => start > date);
  let start = stated;
  while (following === undefined && addDays(start, 7 * WEEKS) <= date) {
    start = addDays(start, 7 * WEEKS);
  }
  return weeksOf(start, following, weeks).find(({ from, to }) => from <= date && date <= to);
}

/** Returns the periods from one day to another, in order. */
export function periodsBetween(calendar: PeriodCalendar, from: string, to: string): Period[] {
  const found: Period[] = [];
  for (let at = from; at <= to;) {
    const period = periodOf(calendar, at);
    if (period === undefined) {
      at = addDays(at, 1);
    } else {
      found.push(period);
      at = addDays(period.to, 1);
    }
  }
  return found;
}

function monthOf(date: string): Period {
  const id = date.slice(0, 7);
  const next = addDays(`${id}-28`, 4).slice(0, 7);
  return { id, from: `${id}-01`, to: addDays(`${next}-01`, -1) };
}

/** Returns a business year's twelve periods; the last one has the 53rd week. */
function weeksOf(start: string, following: string | undefined, pattern: string): Period[] {
  const lengths = Array.from({ length: 4 }, () => pattern.split('-').map(Number)).flat();
  const year = start.slice(0, 4);
  let from = start;
  return lengths.map((weeks, index) => {
    const isLast = index === lengths.length - 1;
    const end = isLast && following !== undefined ? following : addDays(from, 7 * weeks);
    const period = {
      id: `${year}-P${String(index + 1).padStart(2, '0')}`,
      from,
      to: addDays(end, -1),
    };
    from = end;
    return period;
  });
}

function daysFrom(start: string, end: string): number {
  return (Date.parse(end) - Date.parse(start)) / 86_400_000;
}
