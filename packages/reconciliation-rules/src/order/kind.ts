import type { FundingLine } from './lines.ts';

/**
 * How a funding affects the merchant's money. `none`: an authorization or its void, which move no
 * money; `unknown`: an undocumented type, which no sum includes and which is reported.
 */
export type FundingKind = 'settle' | 'refund' | 'chargeback' | 'reversal' | 'none' | 'unknown';

const kinds: ReadonlyMap<string, FundingKind> = new Map([
  ['settle', 'settle'],
  ['refund', 'refund'],
  ['chargeback', 'chargeback'],
  // In this service, a reversal is a credit: the lender takes a chargeback back. Other services use
  // the word for a debit.
  ['reversal', 'reversal'],
  ['authorize', 'none'],
  ['void', 'none'],
]);

/**
 * Returns the kind by type. A refund with the status CHARGEBACK is a chargeback: the lender took
 * the money unilaterally.
 */
export function kindOf({ transactionType, status }: FundingLine): FundingKind {
  const kind = kinds.get(transactionType) ?? kinds.get(transactionType.toLowerCase()) ?? 'unknown';
  return kind === 'refund' && status === 'CHARGEBACK' ? 'chargeback' : kind;
}

/** Returns the direction of the money: to the merchant (1), from the merchant (-1), or none (0). */
export function signOf(kind: FundingKind): 1 | -1 | 0 {
  switch (kind) {
    case 'settle':
    case 'reversal':
      return 1;
    case 'refund':
    case 'chargeback':
      return -1;
    case 'none':
    case 'unknown':
      return 0;
  }
}
