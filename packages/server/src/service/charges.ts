import type { Money } from '@financing-checkout/contract/money';
import { fromMajorUnits, MoneyError } from '@financing-checkout/contract/money';
import { z } from 'zod';
import { amountSchema, idSchema, optionalIdSchema, optionalText, storableText } from './fields.ts';
import { readChargeState, readTransactionWord } from './vocabulary.ts';

/** State of a transaction; an open vocabulary, undefined if the service states none. */
const transactionStateSchema = optionalText(64).transform(
  (word) => word && readTransactionWord(word),
);

/**
 * A transaction from a lookup (reference: Charge API). `Authorize` is the type of a charge's
 * authorization, which carries the id of the charge request.
 */
export const transactionSchema = z.looseObject({
  id: idSchema,
  chargeId: idSchema,
  type: storableText(64).transform(readTransactionWord),
  state: transactionStateSchema,
});
export type Transaction = z.infer<typeof transactionSchema>;

/**
 * States in which the service has accepted but not completed a transaction (reference: Charge API).
 */
const pendingStates = new Set<string | undefined>([
  ...['Scheduled', 'Pending', 'PendingConsumer', 'PendingMerchant', 'Accepted'],
]);

/** Returns whether a transaction may still fail. An unknown state counts as final. */
export function isPendingTransaction(state: string | undefined): boolean {
  return pendingStates.has(state);
}

/** The transaction in the response to settle, refund and void. */
export interface MadeTransaction {
  transactionId: string;
  /** State of the transaction: "Completed", "Pending", "Failed", … */
  state: string | undefined;
  /** The lender's reference, which the funding of the transaction carries. */
  lenderReferenceId: string | undefined;
}

/**
 * `transactionState` is the transaction's state, `status` the charge's; there is no `state`
 * (reference: Charge API).
 */
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

/**
 * A charge, from the creation response or from a lookup. One schema parses both: they share the id,
 * the order, the total and the state (in two vocabularies), and each has fields that the other
 * lacks (reference: Charge API).
 */
export interface Charge {
  id: string;
  merchantOrderId: string;
  /** One of the contract's `chargeStates`, or a value that the service added later. */
  state: string;
  /** In major units, as the service sent them. The service states no currency. */
  totalAmount: number | string;
  /** Present only in a lookup. */
  settledAmount?: number | string | undefined;
  refundedAmount?: number | string | undefined;
  applicationId?: string;
  /** The lender's references of the authorization and of the settle; present only at creation. */
  lenderAuthorizeReferenceId?: string;
  lenderSettleReferenceId?: string;
  /** State of the settle that was requested with the charge; present only at creation. */
  settleTransactionState?: string;
}

export const chargeSchema = z
  .looseObject({
    id: idSchema,
    state: storableText(64).min(1).transform(readChargeState),
    totalAmount: amountSchema,
    settledAmount: amountSchema.nullish(),
    refundedAmount: amountSchema.nullish(),
    merchantOrderId: storableText(256),
    applicationId: optionalIdSchema,
    transactionsData: z
      .looseObject({
        lenderAuthorizeReferenceId: optionalIdSchema,
        lenderSettleReferenceId: optionalIdSchema,
      })
      .optional()
      .catch(undefined),
    settleTransactionState: transactionStateSchema,
  })
  .transform((body): Charge => ({
    id: body.id,
    merchantOrderId: body.merchantOrderId,
    state: body.state,
    totalAmount: body.totalAmount,
    settledAmount: body.settledAmount ?? undefined,
    refundedAmount: body.refundedAmount ?? undefined,
    applicationId: body.applicationId,
    lenderAuthorizeReferenceId: body.transactionsData?.lenderAuthorizeReferenceId,
    lenderSettleReferenceId: body.transactionsData?.lenderSettleReferenceId,
    settleTransactionState: body.settleTransactionState,
  }));

/**
 * - `settled`: at least part of the charge is settled.
 * - `pending`: the service has accepted but not completed the settle.
 * - `failed`: there is no settle, and none will follow on its own.
 * - `unknown`: the charge is authorized. Its settle may be pending or may have failed; a lookup
 *   does not distinguish the two.
 */
type SettleProgress = 'settled' | 'pending' | 'failed' | 'unknown';

/** States of a charge that is or was at least partially settled. */
const settledStates = new Set([
  'PartiallySettled',
  'Settled',
  'PartiallyRefunded',
  'PartiallySettledPartiallyRefunded',
  'SettledPartiallyRefunded',
  'Refunded',
  'PartiallySettledRefunded',
  'ChargedBack',
]);

/** Returns the state of the settle that was requested together with a charge. */
export function settleProgress({ state, settleTransactionState }: Charge): SettleProgress {
  if (state === 'Voided') return 'failed';
  // The creation response states `Authorized` even after an immediate settle, so the settle's own
  // state takes precedence.
  if (settleTransactionState === 'Failed') return 'failed';
  if (settleTransactionState === 'Completed') return 'settled';
  if (isPendingTransaction(settleTransactionState)) return 'pending';
  return settledStates.has(state) ? 'settled' : 'unknown';
}

/** Returns which part of a charge differs from the primed order, or undefined when none does. */
export function chargeDifference(
  charge: Charge,
  primed: { amount: Money; merchantOrderId: string },
): 'amount' | 'merchant-order' | undefined {
  if (charge.merchantOrderId !== primed.merchantOrderId) return 'merchant-order';
  return chargedAmount(charge, primed.amount.currency)?.value === primed.amount.value
    ? undefined
    : 'amount';
}

/** Returns the total of a charge, or undefined if `currency` cannot represent it exactly. */
export function chargedAmount(charge: Charge, currency: string): Money | undefined {
  try {
    return fromMajorUnits(charge.totalAmount, currency);
  } catch (error) {
    if (error instanceof MoneyError) return undefined;
    throw error;
  }
}
