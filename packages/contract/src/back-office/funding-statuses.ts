/**
 * Known reconciliation statuses (specification 3; reference: Funding API). The list is open: an
 * unknown status is kept unchanged.
 */
export const fundingStatuses = [
  'RECONCILED',
  'TYPE_MISMATCH',
  'AMOUNT_MISMATCH',
  'ORIGINAL_TRANSACTION_MISSING',
  'UNRECONCILED',
  'MISMATCHED',
  'MISSING',
  'CHARGEBACK',
] as const;

/** Statuses of a lender transaction without a match at the service (specification 2, 3). */
export const missingStatuses: readonly string[] = ['MISSING', 'ORIGINAL_TRANSACTION_MISSING'];
