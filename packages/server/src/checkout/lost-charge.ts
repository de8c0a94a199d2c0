import type { Environment } from '@financing-checkout/contract/storefront';
import { isReturned } from '../charges/balance.ts';
import { raiseAlarm } from '../charges/context.ts';
import { fewAtATime } from '../platform/few-at-a-time.ts';
import { ProblemError } from '../platform/problem.ts';
import type { CallContext } from '../service/exchange.ts';
import { serviceUnavailable } from '../service/problem.ts';
import { isNotFound } from '../service/result.ts';
import { isPastGrace } from '../service/timing.ts';
import type { CheckoutRow, LostRecord, SentRequest } from '../store/store.ts';
import { changeCheckout } from './checkout.ts';
import type { CheckoutContext } from './context.ts';

/**
 * How long orders are looked up at the service after the database server changes, in milliseconds:
 * the promoted standby may lack the last commits.
 */
const SUSPECT_MS = 7 * 86_400_000;

/** Changes to a checkout that needs a manual comparison with the service. */
export const lostOutcome = {
  status: 'unavailable',
  retrySafe: false,
  attentionAt: undefined,
} as const;

interface SuspectOrder {
  environment: Environment;
  merchantOrderId: string;
  currency: string;
}

/** Returns when the database server changed, if recently enough to look for losses. */
async function suspectSince({ clock, store }: CheckoutContext): Promise<number | undefined> {
  const now = clock.now();
  const changedAt = await store.serverChangedAt(now);
  return changedAt !== undefined && now < changedAt + SUSPECT_MS ? changedAt : undefined;
}

/**
 * Looks for a charge of an order that the service has and the store has lost. The shopper owes
 * nothing on a returned charge, so it does not count.
 */
export async function findLostCharge(
  ctx: CheckoutContext,
  { environment, merchantOrderId, currency }: SuspectOrder,
  call: CallContext,
): Promise<{ chargeId: string } | 'none' | 'unresolved'> {
  if ((await suspectSince(ctx)) === undefined) return 'none';
  const found = await ctx.service.chargeOfOrder(merchantOrderId, call);
  if (found.kind !== 'accepted') return isNotFound(found) ? 'none' : 'unresolved';
  const chargeId = found.body;
  if ((await ctx.store.findCheckoutOfCharge(environment, chargeId)) !== undefined) return 'none';
  const charge = await ctx.service.charge(chargeId, call);
  if (charge.kind !== 'accepted') return 'unresolved';
  return isReturned(charge.body, currency) ? 'none' : { chargeId };
}

/** Records a loss, and reports it once. */
export async function reportLoss(
  ctx: CheckoutContext,
  { environment, kind, merchantOrderId, chargeId, merchantTransactionId }: LostRecord,
  requestId?: string,
): Promise<void> {
  const record = { environment, kind, merchantOrderId, chargeId, merchantTransactionId };
  if (!(await ctx.store.putLostRecord(record, ctx.clock.now()))) return;
  raiseAlarm(ctx, 'record-lost', { requestId, chargeId, reason: kind });
}

/**
 * Refuses to prime an order whose charge the store has lost.
 * @throws {ProblemError} `checkout-not-open`, and `service-unavailable` when the service does not
 * respond
 */
export async function refuseLostOrder(
  ctx: CheckoutContext,
  order: SuspectOrder,
  requestId: string,
): Promise<void> {
  const lost = await findLostCharge(ctx, order, { priority: 'checkout', requestId });
  if (lost === 'none') return;
  if (lost === 'unresolved') throw serviceUnavailable();
  // Must follow the lookup: a checkout claims its order before it creates the charge.
  if (await ctx.store.isOrderTaken(order.environment, order.merchantOrderId)) return;
  await reportLoss(ctx, { ...order, kind: 'charge', ...lost }, requestId);
  throw new ProblemError('checkout-not-open', {
    detail: 'The service has a charge of this order that the store has lost.',
  });
}

/**
 * Ends a checkout from before the database server changed, if the store has lost its charge.
 * @returns the checkout, `none`, or `unresolved` when the service did not respond
 */
export async function endIfLost(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId: string | undefined,
): Promise<CheckoutRow | 'none' | 'unresolved'> {
  const since = await suspectSince(ctx);
  if (since === undefined || checkout.createdAt > since) return 'none';
  const { environment, merchantOrderId, amount } = checkout;
  const order = { environment, merchantOrderId, currency: amount.currency };
  const lost = await findLostCharge(ctx, order, { priority: 'checkout', requestId });
  if (typeof lost === 'string') return lost;
  const isTaken = await ctx.store.isOrderTaken(environment, merchantOrderId);
  if (isTaken && !(await ctx.store.isOrderLost(environment, merchantOrderId))) return 'none';
  await reportLoss(ctx, { ...order, kind: 'charge', ...lost }, requestId);
  return changeCheckout(ctx, checkout, { set: lostOutcome });
}

/** Delay between lookups of a request that may still be in progress, in milliseconds. */
const RETRY_MS = 5_000;

/**
 * Returns a job that looks for this process's requests that a new database server lacks, and
 * reports those that the service has executed.
 */
export function createLossSearch(ctx: CheckoutContext): () => Promise<number> {
  const open = new Set<SentRequest>();
  let nextLookup = 0;

  async function examine(request: SentRequest): Promise<void> {
    const { merchantTransactionId, sentAt } = request;
    const found = await ctx.service.transaction(merchantTransactionId, { priority: 'charge' });
    if (found.kind === 'accepted') {
      const { chargeId } = found.body;
      await reportLoss(ctx, {
        ...request,
        chargeId,
        merchantTransactionId: request.kind === 'charge' ? undefined : merchantTransactionId,
      });
    }
    const isDecided = found.kind === 'accepted' || isNotFound(found);
    if (isDecided && (found.kind === 'accepted' || isPastGrace(ctx, sentAt))) open.delete(request);
  }

  return async () => {
    const now = ctx.clock.now();
    const lost = await ctx.store.lostRequests(now);
    for (const request of lost) open.add(request);
    if (open.size === 0 || (lost.length === 0 && now < nextLookup)) return 0;
    nextLookup = now + RETRY_MS;
    await fewAtATime([...open].values(), examine);
    return 0;
  };
}
