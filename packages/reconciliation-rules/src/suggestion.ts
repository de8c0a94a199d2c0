import type { Policy } from './order/lines.ts';
import { toleranceOf } from './policy/share.ts';

/**
 * The open amount of an order: ledger minus postings, in minor units. Negative: unexpected money
 * arrived. Times are milliseconds since 1970.
 */
export interface OpenAmount {
  orderKey: string;
  amount: number;
  at: number;
}

/** An order with a similar open amount in the opposite direction. */
export interface Suggestion {
  orderKey: string;
  /** Open amount of the suggested order. */
  amount: number;
  /** Whole days from this order to the suggested one; negative: the suggested one is earlier. */
  daysApart: number;
}

const DAY = 86_400_000;
/** Lenders fund within days, so a month suffices even for the slowest. */
const MAX_DAYS = 30;
/** People compare only a few candidates by hand. */
const MAX_SUGGESTIONS = 5;

/**
 * Suggests orders with a similar open amount in the opposite direction, at about the same time, if
 * no id connects the two. A person decides: a suggestion neither matches anything nor changes a
 * status. Sorted by nearest amount, then nearest day.
 */
export function suggestMatches(
  open: OpenAmount,
  candidates: readonly OpenAmount[],
  policy: Pick<Policy, 'tolerance'>,
): Suggestion[] {
  const range = suggestionRange(open.amount, policy);
  const apart = ({ amount }: { amount: number }) => Math.abs(amount + open.amount);
  return candidates
    .filter((candidate) => candidate.orderKey !== open.orderKey && apart(candidate) <= range)
    .map(({ orderKey, amount, at }) => ({
      orderKey,
      amount,
      daysApart: Math.trunc((at - open.at) / DAY),
    }))
    .filter(({ daysApart }) => Math.abs(daysApart) <= MAX_DAYS)
    .sort(
      (a, b) =>
        apart(a) - apart(b) ||
        Math.abs(a.daysApart) - Math.abs(b.daysApart) ||
        (a.orderKey < b.orderKey ? -1 : 1),
    )
    .slice(0, MAX_SUGGESTIONS);
}

/** Returns the maximum difference between two open amounts, in minor units. */
export function suggestionRange(amount: number, policy: Pick<Policy, 'tolerance'>): number {
  return toleranceOf(Math.abs(amount), policy);
}
