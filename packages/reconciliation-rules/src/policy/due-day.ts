import { addDays } from '@financing-checkout/contract/money';
import { Calendar } from '../calendar/calendar.ts';
import type { FundingLine, Policy, SlaDays } from '../order/lines.ts';
import { lenderOf } from './lender.ts';

const calendars = new Map<string, Calendar>();

/** Returns the calendar for the zone of `slaDays`. @throws {RangeError} for an unknown zone */
export function calendarOf({ zone = 'UTC' }: Pick<SlaDays, 'zone'>): Calendar {
  const known = calendars.get(zone) ?? new Calendar(zone);
  calendars.set(zone, known);
  return known;
}

/**
 * Returns the number of days that the lenders of these fundings may take: the maximum across
 * lenders. Without fundings, the lender is unknown and the default applies.
 */
export function slaDaysOf(fundings: readonly FundingLine[], policy: Policy): number {
  const { lenders, default: usual } = policy.slaDays;
  let days: number | undefined;
  for (const { lenderName } of fundings) {
    const lender = lenderOf(lenderName, policy);
    const own = (Object.hasOwn(lenders, lender) ? lenders[lender] : undefined) ?? usual;
    if (days === undefined || own > days) days = own;
  }
  return days ?? usual;
}

/**
 * Returns the first millisecond of the day by which a settle or refund should be funded: the agreed
 * number of days after its own day, skipping days on which lenders do not post.
 */
export function dueOf(occurredAt: number, days: number, slaDays: SlaDays): number {
  const { businessDays = false, holidays = [] } = slaDays;
  const calendar = calendarOf(slaDays);
  const day = calendar.dayOf(occurredAt);
  if (!businessDays) return calendar.startOf(addDays(day, days));
  // Here, midnight UTC represents a day in any zone.
  const isOpen = (named: number) =>
    new Date(named).getUTCDay() % 6 !== 0 && !holidays.includes(named);
  let passed = 0;
  for (let left = days; left > 0 || !isOpen(Date.parse(addDays(day, passed)));) {
    passed += 1;
    if (isOpen(Date.parse(addDays(day, passed)))) left -= 1;
  }
  return calendar.startOf(addDays(day, passed));
}

/** Returns the time at which a due day becomes late: the end of that day. */
export function lateAfter(due: number, slaDays: SlaDays): number {
  const calendar = calendarOf(slaDays);
  const day = calendar.dayOf(due);
  // For an excess that is due together with other lines, `due` may lie within a day, so the day's
  // length is added.
  return due + calendar.startOf(addDays(day, 1)) - calendar.startOf(day);
}
