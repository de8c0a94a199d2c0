import { z } from 'zod';
import { person, words } from './cases.ts';
import { amountDifferenceSchema } from './amount-difference.ts';
import { chargeStateSchema } from './charge-state.ts';
import { MAX_MINOR_UNITS } from './money.ts';
import { moneySchema } from './money-schema.ts';

/** What can be done to a charge after the sale (reference: Charge API). */
export const chargeOperationKinds = ['settle', 'refund', 'void'] as const;
export type ChargeOperationKind = (typeof chargeOperationKinds)[number];

/** Minor units of the charge's currency: an integer, more than zero. */
const partAmount = z.int().min(1).max(MAX_MINOR_UNITS);

/** Body of `POST /charges/{id}/settles`. Without an amount all that is left is settled. */
export const settleRequestSchema = z.strictObject({ amount: partAmount.optional() });
/** Body of `POST /charges/{id}/refunds`. */
export const refundRequestSchema = z.strictObject({ amount: partAmount });
/** Body of `POST /charges/{id}/voids`. */
export const voidRequestSchema = z.strictObject({});

/** What a person who has looked says became of an operation: all of it was done, or nothing. */
export const resolutionOutcomes = ['done', 'not-done'] as const;
export type ResolutionOutcome = (typeof resolutionOutcomes)[number];

/** Body of `POST /charge-operations/{id}/resolution`. `by`: the person for whom the token's owner acts. */
export const resolutionRequestSchema = z.strictObject({
  outcome: z.enum(resolutionOutcomes, { error: 'must be "done" or "not-done"' }),
  by: person.optional(),
  /** Where they looked, and what they saw. */
  note: words,
});

/** One thing the companion was asked to do to a charge, and what is known of it. */
export const chargeOperationSchema = z.object({
  id: z.string(),
  chargeId: z.string(),
  kind: z.enum(chargeOperationKinds),
  /** Of a void all that was authorized; absent there when it cannot be held exactly. */
  amount: moneySchema.optional(),
  /**
   * - `recorded`: it is about to be sent, or its companion died.
   * - `unknown`: the service may have done it; it is being looked up.
   * - `accepted`: the service did it. `rejected`: it said no. Or a person said so: `resolution`.
   * - `not-sent`: proved that nothing was done; the same Idempotency-Key may send it.
   */
  state: z.enum(['recorded', 'not-sent', 'rejected', 'accepted', 'unknown']),
  /**
   * Why, in a word. Of an accepted one `pending`: the service is not through with it, or has not
   * said so, and is asked until it is; or `found-since`: a person had said that it was not done.
   */
  reason: z.string().optional(),
  merchantTransactionId: z.string(),
  /** The service's id of the transaction. */
  transactionId: z.string().optional(),
  /** The lender's reference, which the funding of the transaction carries. */
  lenderReferenceId: z.string().optional(),
  /**
   * Who said what became of it (the token's name, and the person if one was given), and why, where
   * the companion could not find out.
   */
  resolution: z.object({ by: z.string(), note: z.string() }).optional(),
  /** ISO 8601, UTC. */
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type ChargeOperation = z.infer<typeof chargeOperationSchema>;

/** A charge as the service states it now, with what was done to it from here. */
export const chargeRecordSchema = z.object({
  id: z.string(),
  merchantOrderId: z.string(),
  /** See `chargeStates`. */
  state: chargeStateSchema,
  authorized: moneySchema,
  /** Total of the order, and the reason, only where it is not `authorized`. */
  ordered: amountDifferenceSchema.optional(),
  settled: moneySchema,
  refunded: moneySchema,
  /** What can still be settled and refunded. */
  left: z.object({ toSettle: moneySchema, toRefund: moneySchema }),
  /** Oldest first. */
  operations: z.array(chargeOperationSchema),
});
export type ChargeRecord = z.infer<typeof chargeRecordSchema>;

export const chargesSchema = z.object({ charges: z.array(chargeRecordSchema) });

/** An operation that waits for a person to say what became of it. */
export const unclearOperationSchema = chargeOperationSchema.extend({ merchantOrderId: z.string() });
export type UnclearOperation = z.infer<typeof unclearOperationSchema>;
/** Oldest first. `next`: the `after` of the next page. */
export const unclearOperationsSchema = z.object({
  operations: z.array(unclearOperationSchema),
  next: z.string().optional(),
});
