import { InexactOrderError } from '../order/exact-sum.ts';
import { indexExpectations } from '../order/expectation.ts';
import { signOf } from '../order/kind.ts';
import type { OrderLines, OrderStatus, Policy } from '../order/lines.ts';
import { matchPostings } from '../matching/matching.ts';
import { type Expectation, postingsOf, type Posting } from '../order/posting.ts';
import { dueOf, lateAfter, slaDaysOf } from '../policy/due-day.ts';
import { toleranceOf } from '../policy/share.ts';

/** An order with its fundings matched to expectations. All checks start from it. */
export interface Examination {
  readonly order: OrderLines;
  readonly policy: Policy;
  readonly expectations: readonly Expectation[];
  /** Sorted in a total order. */
  readonly postings: readonly Posting[];
  readonly sums: Sums;
  /** Minor units that the tolerance covers, once per order. */
  readonly tolerance: number;
  /** Returns the start of an expectation's due day, in milliseconds since 1970. */
  readonly dueAt: (expectation: Expectation) => number;
  /** Returns whether the policy allows reporting the unpaid rest of an expectation as missing. */
  readonly isLate: (due: number) => boolean;
  /** Returns whether no funding of unknown currency could pay the expectation. */
  readonly isAbsent: (expectation: Expectation) => boolean;
}

type Sums = Pick<OrderStatus, 'expected' | 'funded' | 'discount' | 'net'>;

/**
 * Matches an order's fundings.
 * @throws {InexactOrderError} for an amount that is not a whole number of minor units, or too large
 */
export function examine(order: OrderLines, policy: Policy): Examination {
  const index = indexExpectations(order.ledger);
  // No sum includes fundings of unknown currency; see judgeUnknownCurrency.
  const postings = order.currency === '' ? [] : postingsOf(order.fundings);
  const expected = { settle: 0, refund: 0 };
  for (const { kind, amount } of index.all) expected[kind] += amount;
  const tolerance = toleranceOf(expected.settle, policy);
  matchPostings(index, postings, tolerance);
  const sums: Sums = {
    expected,
    funded: { settle: 0, refund: 0, chargeback: 0, reversal: 0 },
    discount: 0,
    net: 0,
  };
  for (const posting of postings) addPosting(sums, posting);
  assertExact(order, sums);
  const unplaced = new Set(order.unplaced?.map(({ kind, amount }) => `${kind} ${amount}`));
  const days = slaDaysOf(order.fundings, policy);
  return {
    order,
    policy,
    expectations: index.all,
    postings,
    sums,
    tolerance,
    dueAt: ({ occurredAt }) => dueOf(occurredAt, days, policy.slaDays),
    isLate: (due) => policy.complete && policy.now >= lateAfter(due, policy.slaDays),
    isAbsent: ({ kind, amount, postings }) =>
      postings.length > 0 || !unplaced.has(`${kind} ${amount}`),
  };
}

function addPosting(sums: Sums, { kind, amount, discount, net, isDuplicate }: Posting): void {
  if (kind === 'none') return;
  if (kind === 'unknown') {
    // Its direction is unknown, so no other sum includes it, but it did reach the bank account.
    sums.net += net;
    return;
  }
  if (!isDuplicate) sums.funded[kind] += amount;
  const sign = signOf(kind);
  sums.discount += sign * discount;
  sums.net += sign * net;
}

/**
 * Rejects amounts above 2^53, whose sums would be rounded, and fractions of minor units.
 */
function assertExact({ ledger, fundings }: OrderLines, sums: Sums): void {
  const { expected, funded, discount, net } = sums;
  const isExact =
    ledger.every(({ amount }) => Number.isSafeInteger(amount) && amount >= 0) &&
    fundings.every(
      (funding) =>
        Number.isSafeInteger(funding.transactionAmount) &&
        Number.isSafeInteger(funding.discountAmount) &&
        Number.isSafeInteger(funding.netAmount),
    ) &&
    Number.isSafeInteger(expected.settle) &&
    Number.isSafeInteger(expected.refund) &&
    Number.isSafeInteger(funded.settle) &&
    Number.isSafeInteger(funded.refund) &&
    Number.isSafeInteger(funded.chargeback) &&
    Number.isSafeInteger(funded.reversal) &&
    Number.isSafeInteger(discount) &&
    Number.isSafeInteger(net);
  if (isExact) return;
  throw new InexactOrderError(
    'An amount of the order is not a whole number of minor units, is negative in the ledger, or is too large to be summed exactly: correct the line before the order is reconciled.',
  );
}
