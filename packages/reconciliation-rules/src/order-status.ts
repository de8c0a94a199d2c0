import { fundingAxisOf, headlineOf, returnsAxisOf } from './axes.ts';
import { judgeClaims } from './claim.ts';
import { judgeDebits } from './debit.ts';
import { judgeDiscounts } from './discount.ts';
import { examine } from './examination.ts';
import { Findings } from './findings.ts';
import type { OrderLines, OrderStatus, Policy } from './lines.ts';
import { judgePostings } from './loose.ts';
import { paidInFull } from './paid-in-full.ts';
import { judgeExpectations } from './shortfall.ts';
import { judgeUnplaced } from './unplaced.ts';

/**
 * Whether lenders paid for an order what the merchant expects, and what is open and why. A pure
 * function: the same lines in any order give the same status, and nothing is remembered.
 *
 * While `policy.complete` is false nothing is called absent: not a settle, not a part of one, not a
 * refund. Complete data is no matter of time, so that `recheckAt` does not tell when it is there.
 * @throws {InexactOrderError} for an amount that is no whole number of minor units, or too large to sum
 */
export function reconcileOrder(order: OrderLines, policy: Policy): OrderStatus {
  return paidInFull(order, policy) ?? judgeOrder(order, policy);
}

/** The whole way, which {@link reconcileOrder} shortens for the plainest orders. */
export function judgeOrder(order: OrderLines, policy: Policy): OrderStatus {
  const examined = examine(order, policy);
  const { sums, tolerance } = examined;
  const { expected, funded, discount, net } = sums;
  const findings = new Findings();
  const { awaiting, recheckAt, pending } = judgeExpectations(examined, findings);
  judgePostings(examined, findings);
  if (order.currency === '') judgeUnplaced(order, findings);
  judgeDebits(examined, findings);
  judgeDiscounts(examined, findings);
  judgeClaims(examined, pending, findings);
  const funding = fundingAxisOf(expected, funded, tolerance);
  const returns = returnsAxisOf(funded, tolerance);
  const exceptions = findings.all();
  const headline = headlineOf(exceptions, funding, returns);
  return {
    funding,
    returns,
    exceptions,
    headline,
    expected,
    funded,
    discount,
    net,
    awaiting,
    recheckAt,
  };
}
