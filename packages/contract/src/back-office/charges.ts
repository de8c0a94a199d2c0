import { z } from 'zod';
import { MAX_MINOR_UNITS } from '../money/money.ts';
import {
  minorUnitsSchema,
  moneySchema,
  recordedCurrencySchema,
} from '../storefront/money-schema.ts';
import { orderedItemSchema } from '../storefront/order.ts';
import { amountDifferenceSchema } from './amount-difference.ts';
import { chargeStateSchema } from './charge-state.ts';
import { actor, words } from './person.ts';

/** The operations on a charge after the sale (reference: Charge API). */
export const chargeOperationKinds = ['settle', 'refund', 'void'] as const;
export type ChargeOperationKind = (typeof chargeOperationKinds)[number];

/** Positive integer, in minor units of the charge's currency. */
const partAmount = z.int().min(1).max(MAX_MINOR_UNITS);

/**
 * Currency that the caller assumes for the amounts, because the service states none. Required if the
 * currency is assumed, and refused if it differs from the known one.
 */
const statedCurrency = recordedCurrencySchema.optional();

/** Body of `POST /charges/{id}/settles`. Without an amount, settles the remaining amount. */
export const settleRequestSchema = z.strictObject({
  amount: partAmount.optional(),
  currency: statedCurrency,
});
/** Body of `POST /charges/{id}/refunds`. */
export const refundRequestSchema = z.strictObject({ amount: partAmount, currency: statedCurrency });
/** Body of `POST /charges/{id}/voids`. */
export const voidRequestSchema = z.strictObject({});

/** A person's finding about an operation: completely done, or not done at all. */
export const resolutionOutcomes = ['done', 'not-done'] as const;
export type ResolutionOutcome = (typeof resolutionOutcomes)[number];

/**
 * Body of `POST /charge-operations/{id}/resolution`. `by`: the person for whom the token's owner
 * acts.
 */
export const resolutionRequestSchema = z.strictObject({
  outcome: z.enum(resolutionOutcomes, { error: 'must be "done" or "not-done"' }),
  by: actor.optional(),
  /** Where the person looked, and the result. */
  note: words,
});

/** One operation on a charge, and its last known state. */
export const chargeOperationSchema = z.object({
  id: z.string(),
  chargeId: z.string(),
  kind: z.enum(chargeOperationKinds),
  /** For a void, the authorized amount; absent when it cannot be represented exactly. */
  amount: moneySchema.optional(),
  /**
   * - `recorded`: it is about to be sent, or the companion crashed.
   * - `unknown`: the service may have done it; the companion is looking it up.
   * - `accepted`, `rejected`: the service did or refused it, or a person reported so (see
   *   `resolution`).
   * - `not-sent`: certainly nothing was done; the same Idempotency-Key may send it.
   */
  state: z.enum(['recorded', 'not-sent', 'rejected', 'accepted', 'unknown']),
  /**
   * Reason code. For an accepted operation: `pending` if the service has not reported it as final
   * and the companion keeps polling; or `found-since` if a person had reported it as not done.
   */
  reason: z.string().optional(),
  merchantTransactionId: z.string(),
  /** Name of the token that requested it. Absent if the companion itself did. */
  actor: z.string().optional(),
  /** The service's ID of the transaction. */
  transactionId: z.string().optional(),
  /** The lender's reference, which the transaction's funding repeats. */
  lenderReferenceId: z.string().optional(),
  /**
   * Who reported the result (the token's name, and the person if one was named), and why, if the
   * companion could not determine the result.
   */
  resolution: z.object({ by: z.string(), note: z.string() }).optional(),
  /** ISO 8601, UTC. */
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type ChargeOperation = z.infer<typeof chargeOperationSchema>;

/** The current charge according to the service, with the companion's operations on it. */
export const chargeRecordSchema = z.object({
  id: z.string(),
  merchantOrderId: z.string(),
  /** See `chargeStates`. */
  state: chargeStateSchema,
  authorized: moneySchema,
  /**
   * Present if no order of the companion has the charge: the amounts are then in the currency that
   * the caller stated, else the companion's default. Money is moved only in a stated currency.
   */
  currencyAssumed: z.literal(true).optional(),
  /** Total of the order, and the reason, only if it differs from `authorized`. */
  ordered: amountDifferenceSchema.optional(),
  settled: moneySchema,
  refunded: moneySchema,
  /** The amounts that can still be settled and refunded. */
  left: z.object({ toSettle: moneySchema, toRefund: moneySchema }),
  /** Oldest first. */
  operations: z.array(chargeOperationSchema),
});
export type ChargeRecord = z.infer<typeof chargeRecordSchema>;

export const chargesSchema = z.object({ charges: z.array(chargeRecordSchema) });

/** The charges of an order, with the data of its checkout if the companion still has it. */
export const orderChargesSchema = chargesSchema.extend({
  orderKey: z.string(),
  /** When the checkout was primed. ISO 8601, UTC. */
  primedAt: z.iso.datetime().optional(),
  items: z.array(orderedItemSchema).optional(),
  /** Tax of the order without tax on shipping, in minor units. Only together with `items`. */
  taxAmount: minorUnitsSchema.optional(),
});
export type OrderCharges = z.infer<typeof orderChargesSchema>;

export const orderOperationsSchema = z.object({
  orderKey: z.string(),
  operations: z.array(
    chargeOperationSchema.extend({
      merchantOrderId: z.string().optional(),
      /** Currency of the amount, or else of the charge. */
      currency: z.string(),
    }),
  ),
});

/** An operation whose result a person has to report. */
export const unclearOperationSchema = chargeOperationSchema.extend({ merchantOrderId: z.string() });
export type UnclearOperation = z.infer<typeof unclearOperationSchema>;
/** Oldest first. `next` is the `after` parameter of the next page. */
export const unclearOperationsSchema = z.object({
  operations: z.array(unclearOperationSchema),
  next: z.string().optional(),
});
