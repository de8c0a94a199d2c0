import { isFalseAlarm } from '../checks/status-claims.ts';
import { exact } from '../order/exact-sum.ts';
import { examine, type Examination } from '../checks/examination.ts';
import type { OrderLines, Policy } from '../order/lines.ts';
import { takenBack } from '../checks/postings.ts';
import type { Posting } from '../order/posting.ts';
import { lenderOf } from '../policy/lender.ts';

/** Number and sum of fundings, in minor units. */
export interface ClaimCount {
  count: number;
  amount: number;
}

/** Claims about one lender's fundings in one currency, compared with the arithmetic. */
export interface ClaimSums {
  currency: string;
  lender: string;
  /** The service's status, documented or not. */
  status: string;
  all: ClaimCount;
  /** False claims: RECONCILED although it differs, or a mismatch although it is exact. */
  wrong: ClaimCount;
}

/** Keyed by currency, lender and status. */
export type ClaimRadar = Map<string, ClaimSums>;

/**
 * Adds the claims about an order's fundings to a radar in place. Unlike STATUS_DISAGREES it counts
 * every false RECONCILED, also where another exception names the cause.
 * @throws {InexactOrderError} as reconcileOrder does; the radar is then unchanged
 * @throws {RangeError} when a sum is no longer exact
 */
export function sweepClaims(radar: ClaimRadar, order: OrderLines, policy: Policy): ClaimRadar {
  const examined = examine(order, policy);
  const isTakenBack = takenBack(examined.postings.filter(({ expectation }) => !expectation));
  for (const posting of examined.postings) {
    const { funding, amount, kind } = posting;
    if (kind === 'none') continue;
    const lender = lenderOf(funding.lenderName, policy);
    const sums = sumsOf(radar, order.currency, lender, funding.status);
    count(sums.all, amount);
    if (isWrong(examined, posting, isTakenBack)) count(sums.wrong, amount);
  }
  return radar;
}

/** Adds another radar to a radar in place. @throws {RangeError} when a sum is no longer exact */
export function mergeRadars(radar: ClaimRadar, other: ClaimRadar): ClaimRadar {
  for (const { currency, lender, status, all, wrong } of other.values()) {
    const own = sumsOf(radar, currency, lender, status);
    count(own.all, all.amount, all.count);
    count(own.wrong, wrong.amount, wrong.count);
  }
  return radar;
}

function isWrong(
  examined: Examination,
  posting: Posting,
  isTakenBack: (posting: Posting) => boolean,
): boolean {
  const { kind, funding, expectation, isDuplicate, isMistyped } = posting;
  if (funding.status === 'RECONCILED') {
    if (kind === 'unknown' || isDuplicate || isMistyped) return true;
    const net = funding.transactionAmount - funding.discountAmount;
    if (Math.abs(funding.netAmount - net) > 1) return true;
    // The ledger makes no statement about debits that a lender takes on its own.
    if (kind !== 'settle' && kind !== 'refund') return false;
    if (!expectation) {
      return Math.abs(posting.amount) > examined.tolerance && !isTakenBack(posting);
    }
    const difference = expectation.paid - expectation.amount;
    if (Math.abs(difference) <= examined.tolerance) return false;
    return difference > 0 || examined.policy.complete;
  }
  return expectation !== undefined && !isMistyped && isFalseAlarm(posting, expectation);
}

function sumsOf(radar: ClaimRadar, currency: string, lender: string, status: string): ClaimSums {
  const key = JSON.stringify([currency, lender, status]);
  let sums = radar.get(key);
  if (!sums) {
    const none = () => ({ count: 0, amount: 0 });
    sums = { currency, lender, status, all: none(), wrong: none() };
    radar.set(key, sums);
  }
  return sums;
}

function count(into: ClaimCount, amount: number, fundings = 1): void {
  into.count += fundings;
  into.amount = exact(into.amount + amount);
}
