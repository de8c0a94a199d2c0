import type { FundingLine, Policy, SlaDays } from '../order/lines.ts';
import { lenderOf } from './lender.ts';

const DAY = 86_400_000;

/**
 * Returns the days that the lenders of these fundings may take: of several lenders the slowest.
 * Without fundings the lender is unknown, and the default applies.
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
 * Returns the first millisecond of the UTC day on which a settle or refund should be funded: the
 * agreed number of days after its own day, without days on which lenders do not post.
 */
export function dueOf(
  occurredAt: number,
  days: number,
  { businessDays = false, holidays = [] }: SlaDays,
): number {
  let due = Math.floor(occurredAt / DAY) * DAY;
  if (!businessDays) return due + days * DAY;
  const isOpen = (at: number) => new Date(at).getUTCDay() % 6 !== 0 && !holidays.includes(at);
  for (let left = days; left > 0 || !isOpen(due);) {
    due += DAY;
    if (isOpen(due)) left -= 1;
  }
  return due;
}

/** Returns the moment at which a due day becomes late: the end of that day. */
export function lateAfter(due: number): number {
  return due + DAY;
}
