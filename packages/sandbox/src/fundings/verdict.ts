import type { TransactionType } from '../charges/charge.ts';

/** What comparing a lender's transaction with the service's own gives. */
export type Verdict =
  'reconciled' | 'type-mismatch' | 'amount-mismatch' | 'dispute' | 'original-missing' | 'missing';

/** The two vocabularies of the one verdict. */
export type Vocabulary = 'report' | 'records';

/**
 * How each operation spells a verdict (specification 3 and 9). What has no match at all is MISSING
 * everywhere. What names a charge the service knows, but no transaction of it, has for the report a
 * missing original transaction; the records, which have no such value, say MISSING, or, when it is
 * a refund, CHARGEBACK: a dispute the service was not told of.
 * Source of the values beyond the specification: docs.chargeafter.com, Funding API.
 */
const statuses: Readonly<Record<Verdict, Readonly<Record<Vocabulary, string>>>> = {
  reconciled: { report: 'RECONCILED', records: 'RECONCILED' },
  'type-mismatch': { report: 'TYPE_MISMATCH', records: 'UNRECONCILED' },
  'amount-mismatch': { report: 'AMOUNT_MISMATCH', records: 'UNRECONCILED' },
  dispute: { report: 'ORIGINAL_TRANSACTION_MISSING', records: 'CHARGEBACK' },
  'original-missing': { report: 'ORIGINAL_TRANSACTION_MISSING', records: 'MISSING' },
  missing: { report: 'MISSING', records: 'MISSING' },
};

export function statusOf(verdict: Verdict, vocabulary: Vocabulary): string {
  return statuses[verdict][vocabulary];
}

/** Whether a funding is shown only with showMissing: it could not be matched (specification 4.1). */
export function isHidden(verdict: Verdict): boolean {
  return verdict === 'missing' || verdict === 'original-missing';
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
    if (!chargeKnown) return 'missing';
    return funding.transactionType === 'Refund' ? 'dispute' : 'original-missing';
  }
  if (transaction.type !== funding.transactionType) return 'type-mismatch';
  return transaction.amount === funding.amount ? 'reconciled' : 'amount-mismatch';
}
