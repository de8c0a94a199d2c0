import { createHash } from 'node:crypto';

/** Returns the lender's reference of a transaction, the same in every response and funding. */
export function lenderReferenceOf(transactionId: string): string {
  return createHash('sha256').update(transactionId).digest('hex').slice(0, 16).toUpperCase();
}
