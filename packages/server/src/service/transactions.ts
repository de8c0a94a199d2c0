import { z } from 'zod';
import { idSchema, optionalIdSchema, storableText } from './fields.ts';
import { readTransactionWord } from './vocabulary.ts';

/** State of a transaction; an open vocabulary, undefined where the service states none. */
export const transactionStateSchema = storableText(64)
  .nullish()
  .catch(undefined)
  .transform((word) =>
    word === null || word === undefined ? undefined : readTransactionWord(word),
  );

/**
 * A transaction from a look-up (reference: Charge API). `Authorize` is the type of a charge's
 * authorization, which carries the id of the charge request.
 */
export const transactionSchema = z.looseObject({
  id: idSchema,
  chargeId: idSchema,
  type: storableText(64).transform(readTransactionWord),
  state: transactionStateSchema,
});
export type Transaction = z.infer<typeof transactionSchema>;

/** States in which the service has accepted a transaction and not completed it (reference: Charge API). */
const pendingStates = ['Scheduled', 'Pending', 'PendingConsumer', 'PendingMerchant', 'Accepted'];

/** Returns whether a transaction may still fail. An unknown state counts as final. */
export function isPending(state: string | null | undefined): boolean {
  return pendingStates.some((pending) => pending === state);
}

/** The transaction from the answer to settle, refund and void. */
export interface MadeTransaction {
  transactionId: string;
  /** State of the transaction: "Completed", "Pending", "Failed", … */
  state: string | undefined;
  /** The lender's reference, which the funding of the transaction carries. */
  lenderReferenceId: string | undefined;
}

/** `transactionState` is the transaction's state, `status` the charge's; there is no `state` (reference: Charge API). */
export const madeTransactionSchema = z
  .looseObject({
    id: idSchema,
    transactionState: transactionStateSchema,
    lenderReferenceId: optionalIdSchema,
  })
  .transform((body): MadeTransaction => ({
    transactionId: body.id,
    state: body.transactionState,
    lenderReferenceId: body.lenderReferenceId,
  }));
