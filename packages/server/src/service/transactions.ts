import { z } from 'zod';
import { isErrorBody } from './answer.ts';
import { keptText } from './kept-text.ts';

const id = keptText(256).min(1);

/** A transaction as far as it is needed (reference: Charge API). Type and state are open. */
const transactionSchema = z.looseObject({
  id: id.nullish(),
  chargeId: id,
  type: z.string().max(64).nullish(),
  state: keptText(64).nullish(),
});
export type Transaction = z.infer<typeof transactionSchema>;

/** Answer of the look-up: a transaction, alone or in a list. */
export const transactionsSchema = z
  .union([transactionSchema, z.array(transactionSchema).max(1_000)])
  .transform((found) => (Array.isArray(found) ? found : [found]));

/** States of a transaction that the service has taken and is not through with (reference: Charge API). */
const pendingStates = ['Scheduled', 'Pending', 'PendingConsumer', 'PendingMerchant', 'Accepted'];

/** Whether a transaction may fail yet. A state that is not known may not: nobody could wait for its end. */
export function isPending(state: string | null | undefined): boolean {
  return pendingStates.some((pending) => pending === state);
}

/**
 * Those of what was found by our id that are a charge's. The authorization of a charge has the id of
 * the settle that was asked for with it, and says nothing of that.
 */
export function transactionsOf(found: readonly Transaction[], chargeId: string): Transaction[] {
  return found.filter((made) => made.chargeId === chargeId && made.type !== 'Authorize');
}

/** What is said of a transaction that was just made. */
export interface MadeTransaction {
  transactionId: string | undefined;
  /** "Completed", "Pending", "Failed", …; an open vocabulary. */
  state: string | undefined;
}

const madeSchema = z.looseObject({
  id: id.optional().catch(undefined),
  transactionId: id.optional().catch(undefined),
  type: z.string().optional().catch(undefined),
  state: keptText(64).optional().catch(undefined),
});

/**
 * Answer of settle, refund and void. Its shape is not documented, so that it came with a 2xx is
 * all that is relied on, unless it contradicts that; a body with a `type` is a transaction, another
 * one may be the charge. No charge is "Failed": that is a transaction's state in every body.
 */
export const madeTransactionSchema = z
  .unknown()
  .refine((body) => !isErrorBody(body))
  .transform((body): MadeTransaction => {
    const { data } = madeSchema.safeParse(body);
    if (data?.type !== undefined) {
      return { transactionId: data.transactionId ?? data.id, state: data.state };
    }
    const failed = data?.state === 'Failed';
    return { transactionId: data?.transactionId, state: failed ? 'Failed' : undefined };
  });
