import type { Money } from '@financing-checkout/contract';
import { fromMajorUnits, MoneyError } from '@financing-checkout/contract';
import { z } from 'zod';
import { wireAmountSchema } from './amount.ts';
import { readChargeState } from './charge-state.ts';
import { keptText } from './kept-text.ts';
import { isPending, transactionState } from './transactions.ts';

const id = keptText(256).min(1);
const reference = keptText(256).optional().catch(undefined);

/**
 * A charge, from the answer that created it or from a look-up. Both are read by one schema: they
 * share the id, the order, the total and the state (in two vocabularies), and each has fields that
 * the other lacks (reference: Charge API).
 */
export interface Charge {
  id: string;
  merchantOrderId: string;
  /** One of the contract's `chargeStates`, or a word that the service added later. */
  state: string;
  /** Major units, as the service wrote them. The service states no currency. */
  totalAmount: number | string;
  /** Only in a look-up. */
  settledAmount?: number | string | undefined;
  refundedAmount?: number | string | undefined;
  applicationId?: string | undefined;
  /** The lender's reference of the authorization and of the settle; only at creation. */
  lenderAuthorizeReferenceId?: string | undefined;
  lenderSettleReferenceId?: string | undefined;
  /** Of the settle that was asked for with the charge; only at creation. */
  settleTransactionState?: string | undefined;
}

export const chargeSchema = z
  .looseObject({
    id,
    state: keptText(64).min(1).transform(readChargeState),
    totalAmount: wireAmountSchema,
    settledAmount: wireAmountSchema.nullish(),
    refundedAmount: wireAmountSchema.nullish(),
    merchantOrderId: keptText(256),
    applicationId: reference,
    transactionsData: z
      .looseObject({
        lenderAuthorizeReferenceId: reference,
        lenderSettleReferenceId: reference,
      })
      .optional()
      .catch(undefined),
    settleTransactionState: transactionState,
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
 * Returns a created charge with the outcome that its status code states: a 202 says that the charge
 * exists and its settle failed (reference: Charge API).
 */
export function createdCharge(charge: Charge, status: number): Charge {
  return status === 202 ? { ...charge, settleTransactionState: 'Failed' } : charge;
}

/**
 * - `settled`: at least a part is settled.
 * - `pending`: the service accepted the settle and has not completed it.
 * - `failed`: there is no settle, and none will come by itself.
 * - `unknown`: the charge is authorized. Its settle may be pending or may have failed: a look-up
 *   shows no difference.
 */
export type SettleProgress = 'settled' | 'pending' | 'failed' | 'unknown';

/** States of a charge of which something is, or was, settled. */
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

/** Returns how the settle stands that was requested together with a charge. */
export function settleProgress(charge: Charge): SettleProgress {
  const { state, settleTransactionState } = charge;
  if (state === 'Voided') return 'failed';
  // The answer to the creation says `Authorized` also where it settled at once, so what it says of
  // the settle goes first.
  if (settleTransactionState === 'Failed') return 'failed';
  if (settleTransactionState === 'Completed') return 'settled';
  if (isPending(settleTransactionState)) return 'pending';
  return settledStates.has(state) ? 'settled' : 'unknown';
}

/** The charge of an order: a bare JSON string (reference: Charge API). */
export const orderChargeSchema = id;

/**
 * Returns how a charge differs from what was primed, or undefined when it is the same money for the
 * same order.
 */
export function chargeDifference(
  charge: Charge,
  primed: { amount: Money; merchantOrderId: string },
): 'amount' | 'merchant-order' | undefined {
  if (charge.merchantOrderId !== primed.merchantOrderId) return 'merchant-order';
  return chargedAmount(charge, primed.amount.currency)?.value === primed.amount.value
    ? undefined
    : 'amount';
}

/** Returns the total of a charge, or undefined where `currency` cannot hold it exactly. */
export function chargedAmount(charge: Charge, currency: string): Money | undefined {
  try {
    return fromMajorUnits(charge.totalAmount, currency);
  } catch (error) {
    if (error instanceof MoneyError) return undefined;
    throw error;
  }
}
