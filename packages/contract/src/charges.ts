import { z } from 'zod';
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
   * - `accepted`: the service did it. `rejected`: it said no.
   * - `not-sent`: proved that nothing was done; the same Idempotency-Key may send it.
   */
  state: z.enum(['recorded', 'not-sent', 'rejected', 'accepted', 'unknown']),
  /** Why, in a word, unless it was accepted. */
  reason: z.string().optional(),
  merchantTransactionId: z.string(),
  /** The service's id of the transaction. */
  transactionId: z.string().optional(),
  /** ISO 8601, UTC. */
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type ChargeOperation = z.infer<typeof chargeOperationSchema>;

/** A charge as the service states it now, with what was done to it from here. */
export const chargeRecordSchema = z.object({
  id: z.string(),
  merchantOrderId: z.string(),
  /** The service's word ("Settled"); an open vocabulary. */
  state: z.string(),
  authorized: moneySchema,
  settled: moneySchema,
  refunded: moneySchema,
  /** What can still be settled and refunded. */
  left: z.object({ toSettle: moneySchema, toRefund: moneySchema }),
  /** Oldest first. */
  operations: z.array(chargeOperationSchema),
});
export type ChargeRecord = z.infer<typeof chargeRecordSchema>;

export const chargesSchema = z.object({ charges: z.array(chargeRecordSchema) });
