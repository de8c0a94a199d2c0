import type { Priority } from '../service/admission.ts';
import { isNotFound } from '../service/result.ts';
import type { CheckoutRow } from '../store/store.ts';
import { endWithCharge } from './charge.ts';
import type { ChargeRequest } from './charge-request.ts';
import type { CheckoutContext } from './context.ts';

/**
 * - `chargeId`: a transaction with our id names the charge, so it is ours.
 * - `absent`: the service has no charge of this request.
 * - `not-ours`: the service has no transaction with our id, and names a charge of the order that
 *   this store does not know. A charge that the order alone names proves nothing: another system
 *   of the merchant may have made it.
 * - `unresolved`: the service did not answer, or names a charge of another checkout.
 */
export type FoundCharge = { chargeId: string } | 'absent' | 'not-ours' | 'unresolved';

/** How a look is made: for which of our requests, and how urgently; by default as urgent as a charge. */
export interface Look {
  requestId: string | undefined;
  priority?: Priority | undefined;
}

/**
 * Looks up the charge of a request by our transaction id, which is exact, then by the order. It is
 * absent only when both say so, or when the order names a charge that another checkout made.
 */
export async function findCharge(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  request: Pick<ChargeRequest, 'merchantTransactionId'>,
  look: Look,
): Promise<FoundCharge> {
  const byTransaction = await findByTransaction(ctx, checkout, request, look);
  if (byTransaction === 'unanswered') return 'unresolved';
  if (byTransaction !== 'absent') return byTransaction;
  const { requestId, priority } = look;
  const order = await ctx.service.chargeOfOrder(checkout.merchantOrderId, requestId, priority);
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
  { requestId, priority }: Look,
): Promise<{ chargeId: string } | 'absent' | 'unresolved' | 'unanswered'> {
  const found = await ctx.service.transaction(merchantTransactionId, requestId, priority);
  if (found.kind !== 'accepted') return isNotFound(found) ? 'absent' : 'unanswered';
  const { chargeId } = found.body;
  return (await isOfAnother(ctx, checkout, chargeId)) ? 'unresolved' : { chargeId };
}

/** Ends a checkout with its charge. @returns undefined when the service did not answer */
export async function endWithFound(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  request: ChargeRequest,
  chargeId: string,
  requestId: string | undefined,
): Promise<CheckoutRow | undefined> {
  const charge = await ctx.service.charge(chargeId, requestId);
  if (charge.kind !== 'accepted') return undefined;
  const { serviceRequestId } = charge;
  return endWithCharge(ctx, checkout.id, request, charge.body, { requestId, serviceRequestId });
}

/** Returns whether a charge is known here as another checkout's: it pays for that one. */
export async function isOfAnother(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  chargeId: string,
): Promise<boolean> {
  const owner = await ctx.store.findCheckoutOfCharge(ctx.environment, chargeId);
  return owner !== undefined && owner.id !== checkout.id;
}
