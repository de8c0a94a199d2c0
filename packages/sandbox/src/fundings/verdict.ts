import type { TransactionType } from '../charges/charge.ts';

/** What comparing a lender's transaction with the service's own gives. */
export type Verdict = 'reconciled' | 'type-mismatch' | 'amount-mismatch' | 'dispute' | 'missing';

/** The two vocabularies of the one verdict. */
export type Vocabulary = 'report' | 'records';

/**
 * How each operation spells a verdict (specification 3 and 9). A refund the service does not know
 * of a charge it does know is CHARGEBACK in the records; the report, which has no such value, says
 * that the original transaction is missing.
 * Source of the values beyond the specification: docs.chargeafter.com, Funding API.
 */
const statuses: Readonly<Record<Verdict, Readonly<Record<Vocabulary, string>>>> = {
  reconciled: { report: 'RECONCILED', records: 'RECONCILED' },
  'type-mismatch': { report: 'TYPE_MISMATCH', records: 'UNRECONCILED' },
  'amount-mismatch': { report: 'AMOUNT_MISMATCH', records: 'UNRECONCILED' },
  dispute: { report: 'ORIGINAL_TRANSACTION_MISSING', records: 'CHARGEBACK' },
  missing: { report: 'MISSING', records: 'MISSING' },
};

export function statusOf(verdict: Verdict, vocabulary: Vocabulary): string {
  return statuses[verdict][vocabulary];
}

/** What a lender says happened, and what the service knows of it. Amounts in minor units. */
export interface Comparison {
  funding: { transactionType: TransactionType; amount: number };
  transaction: { type: TransactionType; amount: number } | undefined;
  /** Whether the funding names a charge or an order the service knows. */
  chargeKnown: boolean;
}

/** Compares a funding with the transaction it claims to be (specification 2, 3). */
export function verdictOf({ funding, transaction, chargeKnown }: Comparison): Verdict {
  if (!transaction) {
    return chargeKnown && funding.transactionType === 'Refund' ? 'dispute' : 'missing';
  }
  if (transaction.type !== funding.transactionType) return 'type-mismatch';
  return transaction.amount === funding.amount ? 'reconciled' : 'amount-mismatch';
}
