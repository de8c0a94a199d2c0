import type { Policy } from './lines.ts';
import { toleranceOf } from './terms.ts';

/**
 * What is open of an order: what its ledger expects less what lenders posted, in minor units. One is
 * negative where money came that nobody expects. The time is milliseconds since 1970.
 */
export interface OpenAmount {
  orderKey: string;
  amount: number;
  at: number;
}

/** An order of which as much is open the other way. */
export interface Suggestion {
  orderKey: string;
  /** What is open of it. */
  amount: number;
  /** Whole days from this one to that one; negative: that one was before. */
  daysApart: number;
}

const DAY = 86_400_000;
/** Lenders fund within days; a month leaves room for the slowest. */
const MAX_DAYS = 30;
/** More would be a list and no suggestion. */
const MAX_SUGGESTIONS = 5;

/**
 * The last tier of matching, where no id and no order joins two lines: the same amount, open the
 * other way, at about the same time. It is for a person to look at: nothing is matched by it, and no
 * status depends on it. The nearest amount comes first, then the nearest day.
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

/** How far two open amounts may be from each other, in minor units. */
export function suggestionRange(amount: number, policy: Pick<Policy, 'tolerance'>): number {
  return toleranceOf(Math.abs(amount), policy);
}
