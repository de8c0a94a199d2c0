import { z } from 'zod';
import { readChargeState, readTransactionWord } from './charge-state.ts';
import { keptText } from './kept-text.ts';

const id = keptText(256).min(1);
const reference = keptText(256).optional().catch(undefined);

/** State of a transaction; an open vocabulary, undefined where the service states none. */
export const transactionState = keptText(64)
  .nullish()
  .catch(undefined)
  .transform((word) =>
    word === null || word === undefined ? undefined : readTransactionWord(word),
  );

/**
 * A transaction that was looked up (reference: Charge API). `Authorize` is the type of a charge's
 * authorization, which carries the id that the charge was requested with.
 */
export const transactionSchema = z.looseObject({
  id,
  chargeId: id,
  type: keptText(64).transform(readTransactionWord),
  state: transactionState,
});
export type Transaction = z.infer<typeof transactionSchema>;

/** States in which the service has accepted a transaction and not completed it (reference: Charge API). */
const pendingStates = ['Scheduled', 'Pending', 'PendingConsumer', 'PendingMerchant', 'Accepted'];

/** Returns whether a transaction may still fail. An unknown state may not: it has no known end. */
export function isPending(state: string | null | undefined): boolean {
  return pendingStates.some((pending) => pending === state);
}

/** The answer to settle, refund and void: the transaction, and the charge after it. */
export interface MadeTransaction {
  transactionId: string;
  /** State of the transaction: "Completed", "Pending", "Failed", … */
  state: string | undefined;
  /** State of the charge, in the contract's vocabulary. */
  chargeState: string | undefined;
  /** The lender's reference, which the funding of the transaction carries. */
  lenderReferenceId: string | undefined;
}

/**
 * The transaction's state is `transactionState`, the charge's is `status`; there is no `state`
 * (reference: Charge API).
 */
export const madeTransactionSchema = z
  .looseObject({
    id,
    transactionState,
    status: keptText(64).transform(readChargeState).optional().catch(undefined),
    lenderReferenceId: reference,
  })
  .transform((body): MadeTransaction => ({
    transactionId: body.id,
    state: body.transactionState,
    chargeState: body.status,
    lenderReferenceId: body.lenderReferenceId,
  }));
