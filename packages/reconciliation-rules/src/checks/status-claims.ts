import type { Examination } from './examination.ts';
import type { Findings } from './findings.ts';
import type { Expectation, Posting } from '../order/posting.ts';

/**
 * Reports a status from the service that contradicts our calculation, unless another exception
 * covers it. A status describes one funding and one transaction and is checked at that level:
 * AMOUNT_MISMATCH for one part is true even if the parts sum to the whole. UNRECONCILED and
 * MISMATCHED make no verifiable claim (specification 9), and MISSING is a separate exception.
 * @param pending expectations whose difference becomes an exception only once they are late
 */
export function judgeClaims(
  { postings, policy }: Examination,
  pending: ReadonlySet<Expectation>,
  findings: Findings,
): void {
  for (const posting of postings) {
    const { expectation } = posting;
    if (!expectation || posting.isMistyped) continue;
    const isFalse =
      posting.funding.status === 'RECONCILED'
        ? // In incomplete data, the rest of a split payment may be missing. A reversed payment makes no claim.
          policy.complete && pending.has(expectation) && expectation.paid !== 0
        : isFalseAlarm(posting, expectation);
    if (isFalse) findings.addPosting('STATUS_DISAGREES', posting.amount, posting);
  }
}

/** Returns whether a mismatch status is false: the expectation is paid exactly, and only once. */
export function isFalseAlarm(
  { funding, amount, transactionId, merchantTransactionId }: Posting,
  expectation: Expectation,
): boolean {
  const { postings, paid } = expectation;
  if (paid !== expectation.amount || postings.some(({ isDuplicate }) => isDuplicate)) return false;
  switch (funding.status) {
    case 'AMOUNT_MISMATCH':
      return amount === expectation.amount;
    case 'TYPE_MISMATCH':
      // Only an ID shows which type the funding should have had.
      return (
        (transactionId !== undefined && expectation.transactionIds.includes(transactionId)) ||
        (merchantTransactionId !== undefined &&
          expectation.merchantTransactionIds.includes(merchantTransactionId))
      );
    default:
      return false;
  }
}
