import type { Examination } from './examination.ts';
import type { Expectation } from './expectation.ts';
import type { Findings } from './findings.ts';
import type { Posting } from './posting.ts';

/**
 * Reports what the service says of a funding where our arithmetic says otherwise and nothing else
 * tells so. A status is about one funding and one transaction, and is held to that: AMOUNT_MISMATCH
 * of a part is true, though the parts sum to the whole. UNRECONCILED and MISMATCHED say nothing that
 * could be held against them (specification 9), and MISSING is an exception of its own.
 * @param pending what differs, and is not an exception before it is late
 */
export function judgeClaims(
  { postings, policy }: Examination,
  pending: ReadonlySet<Expectation>,
  findings: Findings,
): void {
  for (const posting of postings) {
    const { expectation } = posting;
    if (!expectation || posting.isMistaken) continue;
    const isFalse =
      posting.funding.status === 'RECONCILED'
        ? // It may be the half that has come in of what is paid in parts; taken back, it is none.
          policy.complete && pending.has(expectation) && expectation.paid !== 0
        : isFalseAlarm(posting, expectation);
    if (isFalse) findings.addPosting('STATUS_DISAGREES', posting.amount, posting);
  }
}

/** A mismatch that is none, of what is paid exactly and once. */
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
      // Only an id says whose type it should have.
      return (
        (transactionId !== undefined && expectation.transactionIds.includes(transactionId)) ||
        (merchantTransactionId !== undefined &&
          expectation.merchantTransactionIds.includes(merchantTransactionId))
      );
    default:
      return false;
  }
}
