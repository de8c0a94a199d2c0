import type { CallContext } from '../service/exchange.ts';
import { isNotFound } from '../service/result.ts';
import type { CheckoutRow } from '../store/store.ts';
import type { ChargeRequest } from './charge-request.ts';
import type { CheckoutContext } from './context.ts';

/**
 * - `chargeId`: a transaction with our id names the charge, so it is ours.
 * - `absent`: the service has no charge of this request.
 * - `not-ours`: the service has no transaction with our id and names a charge of the order that is not
 *   in this store. That proves nothing: another system of the merchant may have created the charge.
 * - `unresolved`: the service did not answer, or names a charge of another checkout.
 */
export type FoundCharge = { chargeId: string } | 'absent' | 'not-ours' | 'unresolved';

/**
 * Looks up the charge of a request by our transaction id, which is exact, then by the order. The charge
 * is absent only when both say so, or when the order names a charge of another checkout.
 */
export async function findCharge(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  request: Pick<ChargeRequest, 'merchantTransactionId'>,
  context: CallContext,
): Promise<FoundCharge> {
  const byTransaction = await findByTransaction(ctx, checkout, request, context);
  if (byTransaction === 'unanswered') return 'unresolved';
  if (byTransaction !== 'absent') return byTransaction;
  const order = await ctx.service.chargeOfOrder(checkout.merchantOrderId, context);
  if (order.kind !== 'accepted') return isNotFound(order) ? 'absent' : 'unresolved';
  const owner = await ctx.store.findCheckoutOfCharge(ctx.environment, order.body);
  if (owner === undefined) return 'not-ours';
  return owner.id === checkout.id ? { chargeId: order.body } : 'absent';
}

/** Looks up the charge of a request by our transaction id alone. */
export async function findByTransaction(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  { merchantTransactionId }: Pick<ChargeRequest, 'merchantTransactionId'>,
  context: CallContext,
): Promise<{ chargeId: string } | 'absent' | 'unresolved' | 'unanswered'> {
  const found = await ctx.service.transaction(merchantTransactionId, context);
  if (found.kind !== 'accepted') return isNotFound(found) ? 'absent' : 'unanswered';
  const { chargeId } = found.body;
  return (await isOfAnotherCheckout(ctx, checkout, chargeId)) ? 'unresolved' : { chargeId };
}

/** Returns whether a charge pays for another checkout of this store. */
export async function isOfAnotherCheckout(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  chargeId: string,
): Promise<boolean> {
  const owner = await ctx.store.findCheckoutOfCharge(ctx.environment, chargeId);
  return owner !== undefined && owner.id !== checkout.id;
}
