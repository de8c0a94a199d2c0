import type { AmountDifference } from '@financing-checkout/contract';
import { tryBalance } from '../charges/balance.ts';
import { type Charge, chargedAmount, chargeDifference } from '../service/charges.ts';
import type { CheckoutRow } from '../store/store.ts';
import type { CheckoutContext } from './context.ts';

/**
 * What a charge is to its checkout.
 *
 * - `ours`: it is the primed money for the primed order, or less for a reason that is accepted.
 * - `given-back`: the shopper owes nothing of it.
 * - `unread`: it is less than the order by its sales tax, and the offer that may explain it cannot be
 *   read.
 * - `mismatch`: it is other money, or for another order.
 */
export type Judgement =
  | { kind: 'ours'; charged: AmountDifference | undefined }
  | { kind: 'given-back' }
  | { kind: 'unread' }
  | { kind: 'mismatch'; reason: 'amount' | 'merchant-order' };

/** Judges a charge against the primed order. */
export async function judgeCharge(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  charge: Charge,
  requestId: string | undefined,
): Promise<Judgement> {
  if (isGivenBack(charge, checkout.amount.currency)) return { kind: 'given-back' };
  const reason = chargeDifference(charge, checkout);
  if (reason === undefined) return { kind: 'ours', charged: undefined };
  const amount = chargedAmount(charge, checkout.amount.currency);
  if (reason !== 'amount' || amount === undefined || !leavesOutTax(checkout, amount.value)) {
    return { kind: 'mismatch', reason };
  }
  const product = await productOf(ctx, checkout, charge, requestId);
  if (product === undefined) return { kind: 'unread' };
  if (product !== LEASE_TO_OWN) return { kind: 'mismatch', reason };
  return { kind: 'ours', charged: { amount, reason: 'lease-to-own-sales-tax' } };
}

/** A lease-to-own lender buys the goods, and charges no sales tax (reference: Charge API). */
const LEASE_TO_OWN = 'LeaseToOwn';

/** Whether a charge is less than the order by exactly its sales tax, with that of shipping or without. */
function leavesOutTax({ amount, taxAmount, shippingTaxAmount }: CheckoutRow, charged: number) {
  const tax = taxAmount ?? 0;
  const difference = amount.value - charged;
  return difference > 0 && (difference === tax || difference === tax + (shippingTaxAmount ?? 0));
}

/** The kind of financing of the confirmed offer. @returns undefined when it cannot be read */
async function productOf(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  charge: Charge,
  requestId: string | undefined,
): Promise<string | undefined> {
  const applicationId = charge.applicationId ?? checkout.applicationId;
  if (applicationId === undefined) return undefined;
  const application = await ctx.service.application(applicationId, requestId);
  return application.kind === 'accepted' ? application.body.financialProductType : undefined;
}

const endStates = new Set(['Voided', 'ChargedBack', 'Refunded', 'PartiallySettledRefunded']);

/** Returns whether the shopper owes nothing of a charge any more. */
export function isGivenBack(charge: Charge, currency: string): boolean {
  if (endStates.has(charge.state)) return true;
  const balance = tryBalance(charge, currency);
  return balance !== undefined && balance.settled > 0 && balance.settled <= balance.refunded;
}
