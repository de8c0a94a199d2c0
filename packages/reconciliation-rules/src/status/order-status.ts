import { fundingAxisOf, headlineOf, returnsAxisOf } from './axes.ts';
import { judgeClaims } from '../checks/status-claims.ts';
import { judgeDebits } from '../checks/debits.ts';
import { judgeDiscounts } from '../checks/discounts.ts';
import { examine } from '../checks/examination.ts';
import { Findings } from '../checks/findings.ts';
import type { OrderLines, OrderStatus, Policy } from '../order/lines.ts';
import { judgePostings } from '../checks/postings.ts';
import { paidInFull } from './paid-in-full.ts';
import { judgeExpectations } from '../checks/shortfall.ts';
import { judgeUnknownCurrency } from '../checks/unknown-currency.ts';

/**
 * Determines whether lenders paid an order's expected amounts, and explains each difference. Pure:
 * the same lines in any order give the same status, and no state is kept.
 *
 * While `policy.complete` is false, no settle, partial amount or refund is reported as missing.
 * `recheckAt` does not predict when the data becomes complete.
 * @throws {InexactOrderError} for an amount that is not a whole number of minor units, or too large
 * to sum
 */
export function reconcileOrder(order: OrderLines, policy: Policy): OrderStatus {
  return paidInFull(order, policy) ?? judgeOrder(order, policy);
}

/** Runs all checks, without the fast path of {@link reconcileOrder} for simple orders. */
export function judgeOrder(order: OrderLines, policy: Policy): OrderStatus {
  const examined = examine(order, policy);
  const { sums, tolerance } = examined;
  const { expected, funded, discount, net } = sums;
  const findings = new Findings();
  const { awaiting, recheckAt, pending } = judgeExpectations(examined, findings);
  judgePostings(examined, findings);
  if (order.currency === '') judgeUnknownCurrency(order, findings);
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
