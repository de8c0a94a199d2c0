import type { FundingLine } from './lines.ts';

/**
 * What a funding does to the merchant's money. `none`: an authorisation or its void, which move
 * nothing; `unknown`: a type nobody told us of, counted nowhere and reported.
 */
export type FundingKind = 'settle' | 'refund' | 'chargeback' | 'reversal' | 'none' | 'unknown';

const kinds: ReadonlyMap<string, FundingKind> = new Map([
  ['settle', 'settle'],
  ['refund', 'refund'],
  ['chargeback', 'chargeback'],
  // At this service a chargeback that is taken back, a credit. Elsewhere the word is a debit.
  ['reversal', 'reversal'],
  ['authorize', 'none'],
  ['void', 'none'],
]);

/** The kind by type; a refund of status CHARGEBACK is one the lender took by itself. */
export function kindOf({ transactionType, status }: FundingLine): FundingKind {
  const kind = kinds.get(transactionType) ?? kinds.get(transactionType.toLowerCase()) ?? 'unknown';
  return kind === 'refund' && status === 'CHARGEBACK' ? 'chargeback' : kind;
}

/** Whether money of this kind comes to the merchant (1), leaves again (-1), or does not move. */
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
