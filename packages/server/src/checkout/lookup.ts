import { chargeEntries } from '../ledger/entries.ts';
import { ProblemError } from '../platform/problem.ts';
import type { CheckoutRow } from '../store/store.ts';
import {
  ABSENT,
  type ChargeRequest,
  chargeRequest,
  hasEnded,
  isRepeatable,
  isTokenUsed,
} from './charge-request.ts';
import type { CheckoutContext } from './context.ts';
import { endWithFound, findByTransaction, findCharge } from './find-charge.ts';
import { repeatRequest } from './repeating.ts';
import { isPastGrace } from './waits.ts';

/**
 * Looks up a charge whose outcome is unknown, and ends the checkout when the service knows it. Where the service has no charge, the same request is sent again if that is
 * safe: {@link repeatRequest}.
 */
export async function lookUpCharge(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId?: string,
): Promise<CheckoutRow> {
  const request = chargeRequest(ctx, await ctx.store.findAttempts(checkout.id));
  if (request === undefined) return checkout;

  const found = await findCharge(ctx, checkout, request, { requestId });
  const isPast = isPastGrace(ctx, request.createdAt);
  if (typeof found === 'object') {
    const ended = await endWithFound(ctx, checkout, request, found.chargeId, requestId);
    return ended ?? waitLonger(ctx, checkout, request);
  }
  if (found === 'not-ours' && isPast) return reportNotOurs(ctx, checkout, request, requestId);
  if (found !== 'absent') return waitLonger(ctx, checkout, request);
  const { reason } = request;
  if (isPast ? isRepeatable(reason) : hasEnded(reason)) {
    const repeated = await repeatRequest(ctx, checkout, request, requestId);
    if (repeated !== undefined) return repeated;
  }
  // The service said that the token has its charge: that it shows none proves nothing then.
  return isPast && !isTokenUsed(reason)
    ? endAsAbsent(ctx, checkout, request)
    : waitLonger(ctx, checkout, request);
}

/**
 * Looks whether a charge shows after all that was proved absent, or refused: the shopper would have
 * paid, and the shop would not know. By our transaction id alone: the charge of the order may be one
 * that another checkout is just making.
 * @returns undefined when the service did not answer
 */
export async function lookForLateCharge(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId?: string,
): Promise<CheckoutRow | undefined> {
  const request = chargeRequest(ctx, await ctx.store.findAttempts(checkout.id));
  if (request === undefined) return checkout;
  const look = { requestId, priority: 'refusal' } as const;
  const found = await findByTransaction(ctx, checkout, request, look);
  if (found === 'unanswered') return undefined;
  return typeof found === 'string'
    ? checkout
    : endWithFound(ctx, checkout, request, found.chargeId, requestId);
}

/**
 * Looks once more for a charge of an order that was refused a moment ago in another checkout, before
 * the order is charged anew: it would have two. Not while another checkout holds the order: it is
 * not charged from here then, and a charge of it may be that one's.
 *
 * The look is two calls, however many were refused: the last one is looked for by our transaction
 * id, and all of them by the order, which names the charge that any of them made.
 * @throws {ProblemError} `checkout-not-open` when the service names a charge of the order that this
 * store does not know, and `service-unavailable` when the service does not answer
 */
export async function lookForRefusedCharges(
  ctx: CheckoutContext,
  { id, environment, merchantOrderId }: CheckoutRow,
  requestId: string,
): Promise<void> {
  const { store } = ctx;
  const order = { environment, merchantOrderId };
  const [last] = await store.refusedCheckoutsOfOrder(order, 0, 1);
  if (last === undefined || last.id === id || isPastGrace(ctx, last.updatedAt)) return;
  if (await store.isOrderTaken(environment, merchantOrderId)) return;
  const request = chargeRequest(ctx, await store.findAttempts(last.id));
  if (request === undefined) return;
  const found = await findCharge(ctx, last, request, { requestId, priority: 'refusal' });
  if (typeof found === 'object') await endWithFound(ctx, last, request, found.chargeId, requestId);
  if (found === 'unresolved') {
    throw new ProblemError('service-unavailable', {
      detail: 'Nothing was done. Try again in a moment.',
      retrySafe: true,
      retryAfterSeconds: 2,
    });
  }
  if (found === 'not-ours') {
    throw new ProblemError('checkout-not-open', {
      detail: 'The service has a charge of this order that was not made here.',
    });
  }
}

/** The reason of a request whose order has a charge that this store does not know. */
const NOT_OURS = 'charge-not-ours';
/** Milliseconds between two looks at it, at the longest. */
const NOT_OURS_LOOK_MS = 86_400_000;

/**
 * The order has a charge, and nothing proves that it is ours. It is neither taken for the checkout's
 * nor given back, and the order stays claimed: a person has to look at it. The log says so once.
 */
async function reportNotOurs(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  request: ChargeRequest,
  requestId: string | undefined,
): Promise<CheckoutRow> {
  if (request.reason !== NOT_OURS) {
    // Before it is recorded: a process that dies in between reports it twice, and not never.
    ctx.counters.increment('charge-not-ours');
    ctx.logger.log('error', 'charge-not-ours', {
      security: true,
      requestId,
      checkoutId: checkout.id,
    });
  }
  const now = ctx.clock.now();
  const { longestLookMs } = ctx.waits;
  const wait = Math.min(Math.max(now - request.createdAt, longestLookMs), NOT_OURS_LOOK_MS);
  const change = await ctx.store.changeCheckout({
    id: checkout.id,
    revision: checkout.revision,
    now,
    set: { status: 'unavailable', retrySafe: false, attentionAt: now + wait },
    updateAttempt: { id: request.id, state: 'unknown', reason: NOT_OURS },
    ledger: request.isListed ? [] : chargeEntries(checkout, request, 'unknown'),
  });
  return current(ctx, checkout, change);
}

/** Shows a checkout whose companion died while confirming as unavailable: its outcome is unknown. */
async function waitLonger(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  request: ChargeRequest,
): Promise<CheckoutRow> {
  if (checkout.status !== 'confirming') return checkout;
  const now = ctx.clock.now();
  const change = await ctx.store.changeCheckout({
    id: checkout.id,
    revision: checkout.revision,
    now,
    set: {
      status: 'unavailable',
      retrySafe: false,
      attentionAt: now + ctx.waits.firstLookMs,
      attentionTries: 0,
    },
    updateAttempt: { id: request.id, state: 'unknown', reason: 'interrupted' },
    ledger: request.isListed ? [] : chargeEntries(checkout, request, 'unknown'),
  });
  return current(ctx, checkout, change);
}

/** Proved: there is no charge. The same confirmation, or a new checkout, may be sent. */
async function endAsAbsent(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  request: ChargeRequest,
): Promise<CheckoutRow> {
  const now = ctx.clock.now();
  const attentionAt = now + ctx.waits.absenceGraceMs;
  const change = await ctx.store.changeCheckout({
    id: checkout.id,
    revision: checkout.revision,
    now,
    set: { status: 'unavailable', retrySafe: true, attentionAt, attentionTries: 0 },
    updateAttempt: { id: request.id, state: 'not-sent', reason: ABSENT },
    order: 'release',
    ledger: chargeEntries(checkout, request, 'absent'),
  });
  return current(ctx, checkout, change);
}

async function current(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  change: Awaited<ReturnType<CheckoutContext['store']['changeCheckout']>>,
): Promise<CheckoutRow> {
  if (change.kind === 'changed') {
    ctx.changed();
    return change.checkout;
  }
  return (await ctx.store.findCheckout(checkout.id)) ?? checkout;
}
