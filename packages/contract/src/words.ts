/**
 * Reconciliation statuses known today (specification 3; reference: Funding API). The vocabulary is
 * open: an unknown status is kept as it came.
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

/** Statuses of a lender transaction that the service has no match for (specification 2, 3). */
export const missingStatuses: readonly string[] = ['MISSING', 'ORIGINAL_TRANSACTION_MISSING'];

/**
 * How far lenders have paid what the merchant's ledger says was settled. Exactly one holds of an
 * order in one currency.
 */
export const fundingAxis = [
  'NONE',
  'UNEXPECTED',
  'UNFUNDED',
  'PARTIALLY_FUNDED',
  'FUNDED',
  'OVER_FUNDED',
] as const;
export type FundingAxis = (typeof fundingAxis)[number];

/** What lenders have taken back, and given again. Exactly one holds. */
export const returnsAxis = [
  'CHARGED_BACK',
  'PARTIALLY_CHARGED_BACK',
  'REFUNDED',
  'PARTIALLY_REFUNDED',
  'CHARGEBACK_REVERSED',
  'NONE',
] as const;
export type ReturnsAxis = (typeof returnsAxis)[number];

/** What is wrong with an order, gravest first: the first one that holds is its headline. */
export const exceptionCodes = [
  'UNKNOWN_TYPE',
  'DUPLICATE_FUNDING',
  'DOUBLE_DEBIT',
  'CHARGEBACK_OPEN',
  'OVER_REVERSED',
  'OVER_FUNDED',
  'TYPE_MISMATCH',
  'AMOUNT_MISMATCH',
  'AMBIGUOUS_PAYMENT',
  'CURRENCY_UNKNOWN',
  'NOT_IN_LEDGER',
  'LINE_NOT_IN_LEDGER',
  'MISSING_IN_SERVICE',
  'REFUND_NOT_IN_LEDGER',
  'REFUND_NOT_TAKEN',
  'MISSING_AT_LENDER',
  'NET_MISMATCH',
  'MDR_VARIANCE',
  'MDR_NOT_RETURNED',
  'STATUS_DISAGREES',
] as const;
export type ExceptionCode = (typeof exceptionCodes)[number];

/** One word for an order: its gravest exception, or else where it stands. */
export const headlines = [
  ...exceptionCodes,
  'PARTIALLY_FUNDED',
  'AWAITING_FUNDING',
  'CHARGED_BACK',
  'PARTIALLY_CHARGED_BACK',
  'REFUNDED',
  'PARTIALLY_REFUNDED',
  'CHARGEBACK_REVERSED',
  'FUNDED',
  'NOTHING_DUE',
] as const;
export type Headline = (typeof headlines)[number];

/** A run that is not over, and how one can have ended. Only `complete` is clean. */
export const syncStates = ['running', 'complete', 'partial', 'failed'] as const;
export type SyncState = (typeof syncStates)[number];

/** What can be said of a day: only `complete` proves it. */
export const dayStates = ['complete', 'writing', 'unproven', 'failed', 'stale'] as const;
export type FundingDayState = (typeof dayStates)[number];
