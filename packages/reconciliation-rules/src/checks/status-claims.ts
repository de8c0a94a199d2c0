import type { Examination } from './examination.ts';
import type { Findings } from './findings.ts';
import type { Expectation, Posting } from '../order/posting.ts';

/**
 * Reports a status of the service that contradicts our arithmetic, unless another exception covers
 * it. A status describes one funding and one transaction and is checked at that level:
 * AMOUNT_MISMATCH of a part is true although the parts sum to the whole. UNRECONCILED and
 * MISMATCHED make no checkable claim (specification 9), and MISSING is an exception of its own.
 * @param pending expectations that differ, but are no exception until they are late
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
        ? // Incomplete data may lack the other part of a split payment. A payment that was taken back claims nothing.
          policy.complete && pending.has(expectation) && expectation.paid !== 0
        : isFalseAlarm(posting, expectation);
    if (isFalse) findings.addPosting('STATUS_DISAGREES', posting.amount, posting);
  }
}

/** Returns whether a mismatch status is false: the expectation is paid exactly and once. */
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
      // Only an id shows which type the funding should have.
      return (
        (transactionId !== undefined && expectation.transactionIds.includes(transactionId)) ||
        (merchantTransactionId !== undefined &&
          expectation.merchantTransactionIds.includes(merchantTransactionId))
      );
    default:
      return false;
  }
}
