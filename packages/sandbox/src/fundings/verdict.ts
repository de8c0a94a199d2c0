import type { TransactionType } from '../charges/charge.ts';

/** The result of comparing a lender's transaction with the service's own. */
export type Verdict =
  | 'reconciled'
  | 'type-mismatch'
  | 'amount-mismatch'
  | 'dispute'
  | 'original-missing'
  | 'missing';

/** The two vocabularies of a verdict. */
export type Vocabulary = 'report' | 'records';

/**
 * The status value for a verdict in each operation (specification 3 and 9). A funding without any
 * match is MISSING in all. A funding that names a known charge, but no transaction of it, has a
 * missing original transaction in the report; the records, which lack this value, say MISSING, or
 * CHARGEBACK for a refund: a dispute that the service was not notified of. Source of the values
 * beyond the specification: docs.chargeafter.com, Funding API.
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

/** Whether a funding has no match, so that only showMissing includes it (specification 4.1). */
export function isHidden(verdict: Verdict): boolean {
  return verdict === 'missing' || verdict === 'original-missing';
}

/** A lender's statement and the service's own transaction. Amounts are in minor units. */
interface Comparison {
  funding: { transactionType: TransactionType; amount: number };
  transaction: { type: TransactionType; amount: number } | undefined;
  /** Whether the funding names a known charge or order. */
  chargeKnown: boolean;
}

/** Compares a funding with the transaction that it names (specification 2, 3). */
export function verdictOf({ funding, transaction, chargeKnown }: Comparison): Verdict {
  if (!transaction) {
    if (!chargeKnown) return 'missing';
    return funding.transactionType === 'Refund' ? 'dispute' : 'original-missing';
  }
  if (transaction.type !== funding.transactionType) return 'type-mismatch';
  return transaction.amount === funding.amount ? 'reconciled' : 'amount-mismatch';
}
