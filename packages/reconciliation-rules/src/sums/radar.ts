import { isFalseAlarm } from '../checks/status-claims.ts';
import { exact } from '../order/exact-sum.ts';
import { examine, type Examination } from '../checks/examination.ts';
import type { OrderLines, Policy } from '../order/lines.ts';
import { takenBack } from '../checks/postings.ts';
import type { Posting } from '../order/posting.ts';
import { lenderOf } from '../policy/lender.ts';

/** Number of fundings, and their sum in minor units. */
export interface ClaimCount {
  count: number;
  amount: number;
}

/** Status claims about one lender's fundings in one currency, compared with our calculation. */
export interface ClaimSums {
  currency: string;
  lender: string;
  /** The service's status, documented or not. */
  status: string;
  all: ClaimCount;
  /** False claims: RECONCILED although it differs, or a mismatch although it is exact. */
  wrong: ClaimCount;
}

/** Status claims about fundings that were posted at the same time. */
export interface PostedClaims {
  /** Milliseconds since 1970. */
  at: number;
  sums: ClaimSums;
}

/**
 * Returns the status claims about an order's fundings by funding time. Unlike STATUS_DISAGREES, it
 * counts every false RECONCILED, even if another exception names the cause.
 * @throws {InexactOrderError} as reconcileOrder does
 * @throws {RangeError} when a sum is no longer exact
 */
export function postedClaims(order: OrderLines, policy: Policy): PostedClaims[] {
  const examined = examine(order, policy);
  const isTakenBack = takenBack(examined.postings.filter(({ expectation }) => !expectation));
  const posted = new Map<string, PostedClaims>();
  for (const posting of examined.postings) {
    const { funding, amount, kind } = posting;
    if (kind === 'none') continue;
    const { status, fundedAt: at } = funding;
    const own = { currency: order.currency, lender: lenderOf(funding.lenderName, policy), status };
    const key = `${at} ${keyOf(own)}`;
    const { sums } = posted.get(key) ?? { sums: { ...own, all: none(), wrong: none() } };
    posted.set(key, { at, sums });
    count(sums.all, amount);
    if (isWrong(examined, posting, isTakenBack)) count(sums.wrong, amount);
  }
  return [...posted.values()];
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
    // The ledger does not contain debits that a lender makes unilaterally.
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

type ClaimKey = Pick<ClaimSums, 'currency' | 'lender' | 'status'>;

function keyOf({ currency, lender, status }: ClaimKey): string {
  return JSON.stringify([currency, lender, status]);
}

function none(): ClaimCount {
  return { count: 0, amount: 0 };
}

function count(into: ClaimCount, amount: number, fundings = 1): void {
  into.count += fundings;
  into.amount = exact(into.amount + amount);
}
