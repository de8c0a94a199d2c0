import { chargeEntries } from '../charges/ledger-entries.ts';
import { sha256 } from '../platform/id.ts';
import { ProblemError } from '../platform/problem.ts';
import { isPastGrace } from '../service/timing.ts';
import type { CheckoutRow } from '../store/store.ts';
import { readApplication, serviceUnavailable } from './application-state.ts';
import { createCharge } from './charge-creation.ts';
import { findByTransaction, findCharge } from './charge-lookup.ts';
import { endWithChargeId } from './charge-outcome.ts';
import {
  ABSENT,
  type ChargeRequest,
  isRepeatable,
  isRepeatableAtOnce,
  isTokenUsed,
  lastChargeRequest,
  MAX_SENT,
  recordRepeat,
  unknownEntries,
  unknownOutcome,
} from './charge-request.ts';
import { changeCheckout } from './checkout.ts';
import type { CheckoutContext } from './context.ts';
import { respondInTime } from './in-flight.ts';

/**
 * Looks up a charge with an unknown outcome, and ends the checkout when the service knows the charge.
 * When the service has no charge, the same request is sent again if that is safe:
 * {@link repeatRequest}.
 */
export async function pollUnknownCharge(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId?: string,
): Promise<CheckoutRow> {
  const request = await lastChargeRequest(ctx, checkout.id);
  if (request === undefined) return checkout;

  const found = await findCharge(ctx, checkout, request, { priority: 'charge', requestId });
  const isPast = isPastGrace(ctx, request.createdAt);
  if (typeof found === 'object') {
    const ended = await endWithChargeId(ctx, checkout, request, found.chargeId, requestId);
    return ended ?? showUnknown(ctx, checkout, request);
  }
  if (found === 'not-ours' && isPast) return reportForeignCharge(ctx, checkout, request, requestId);
  if (found !== 'absent') return showUnknown(ctx, checkout, request);
  const { reason } = request;
  if (isPast ? isRepeatable(reason) : isRepeatableAtOnce(reason)) {
    const repeated = await repeatRequest(ctx, checkout, request, requestId);
    if (repeated !== undefined) return repeated;
  }
  // The service said that the token has its charge, so the missing charge proves nothing.
  return isPast && !isTokenUsed(reason)
    ? endAsAbsent(ctx, checkout, request)
    : showUnknown(ctx, checkout, request);
}

/**
 * Sends a request again whose charge the service does not have, while the application still has the
 * confirmation token: the process that held the token has died or given up. The store contains only
 * the token's hash, which proves that the shopper confirmed with this token.
 * @returns undefined when the token is not available, or the request was sent too often
 */
async function repeatRequest(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  last: ChargeRequest,
  requestId: string | undefined,
): Promise<CheckoutRow | undefined> {
  if (last.sent >= MAX_SENT) return undefined;
  const application = await readApplication(ctx, checkout, { priority: 'charge', requestId });
  const confirmationToken = application?.confirmationToken;
  if (confirmationToken === undefined) return undefined;
  const hash = await sha256(`${checkout.id} ${confirmationToken}`);
  if (hash !== checkout.confirmationHash) return undefined;
  const reason = last.reason ?? 'interrupted';
  const request = await recordRepeat(ctx, checkout, last, { reason, requestId });
  if (request === undefined) return ctx.store.findCheckout(checkout.id);
  const claim = {
    before: checkout,
    request,
    confirmationToken,
    isRepeated: true,
    isUnknown: true,
  };
  return respondInTime(ctx, checkout.id, createCharge(ctx, claim, requestId));
}

/**
 * Looks for a charge that was proved absent or refused: the shopper would have paid, and the shop would
 * not know. It uses our transaction id alone, because another checkout may be creating the charge of
 * the order.
 * @returns undefined when the service did not answer
 */
export async function pollLateCharge(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId?: string,
): Promise<CheckoutRow | undefined> {
  const request = await lastChargeRequest(ctx, checkout.id);
  if (request === undefined) return checkout;
  const found = await findByTransaction(ctx, checkout, request, { priority: 'refusal', requestId });
  if (found === 'unanswered') return undefined;
  return typeof found === 'string'
    ? checkout
    : endWithChargeId(ctx, checkout, request, found.chargeId, requestId);
}

/**
 * Looks once more for a recently refused charge of an order before the order is charged again, because it
 * would get two charges. While another checkout holds the order there is no look-up: this one cannot
 * charge it then, and a charge of the order may be the other checkout's.
 *
 * The look-up takes two calls, however many charges were refused: our transaction id finds the last
 * one, and the order names the charge that any of them created.
 * @throws {ProblemError} `checkout-not-open` when the service names a charge of the order that is not in
 * this store, and `service-unavailable` when the service does not answer
 */
export async function findRefusedCharges(
  ctx: CheckoutContext,
  { id, environment, merchantOrderId }: CheckoutRow,
  requestId: string,
): Promise<void> {
  const { store } = ctx;
  const order = { environment, merchantOrderId };
  const [last] = await store.refusedCheckoutsOfOrder(order, 0, 1);
  if (last === undefined || last.id === id || isPastGrace(ctx, last.updatedAt)) return;
  if (await store.isOrderTaken(environment, merchantOrderId)) return;
  const request = await lastChargeRequest(ctx, last.id);
  if (request === undefined) return;
  const found = await findCharge(ctx, last, request, { priority: 'refusal', requestId });
  if (typeof found === 'object') {
    await endWithChargeId(ctx, last, request, found.chargeId, requestId);
  }
  if (found === 'unresolved') throw serviceUnavailable();
  if (found === 'not-ours') {
    throw new ProblemError('checkout-not-open', {
      detail: 'The service has a charge of this order that this companion did not create.',
    });
  }
}

/** The reason of a request whose order has a charge that is not in this store. */
const FOREIGN_CHARGE = 'charge-not-ours';
/** The longest delay in milliseconds between two polls of such a request. */
const FOREIGN_POLL_MS = 86_400_000;

/**
 * Reports that the order has a charge that may not be ours. The charge is neither accepted nor reversed,
 * and the order stays claimed: a person must act. The log reports it once.
 */
function reportForeignCharge(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  request: ChargeRequest,
  requestId: string | undefined,
): Promise<CheckoutRow> {
  if (request.reason !== FOREIGN_CHARGE) {
    // Before the record: a process that dies in between reports it twice rather than never.
    ctx.counters.increment('charge-not-ours');
    ctx.logger.log('error', 'charge-not-ours', {
      security: true,
      requestId,
      checkoutId: checkout.id,
    });
  }
  const now = ctx.clock.now();
  const { maxPollMs } = ctx.timing;
  const wait = Math.min(Math.max(now - request.createdAt, maxPollMs), FOREIGN_POLL_MS);
  return changeCheckout(ctx, checkout, {
    set: { status: 'unavailable', retrySafe: false, attentionAt: now + wait },
    updateAttempt: { id: request.id, state: 'unknown', reason: FOREIGN_CHARGE },
    ledger: unknownEntries(checkout, request),
  });
}

/** Makes a checkout unavailable whose companion died while it was confirming: its outcome is unknown. */
async function showUnknown(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  request: ChargeRequest,
): Promise<CheckoutRow> {
  if (checkout.status !== 'confirming') return checkout;
  return changeCheckout(ctx, checkout, {
    ...unknownOutcome(ctx, request, { reason: 'interrupted' }),
    ledger: unknownEntries(checkout, request),
  });
}

/** Ends a request that provably created no charge: the shopper may confirm again or start again. */
function endAsAbsent(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  request: ChargeRequest,
): Promise<CheckoutRow> {
  const attentionAt = ctx.clock.now() + ctx.timing.absenceGraceMs;
  return changeCheckout(ctx, checkout, {
    set: { status: 'unavailable', retrySafe: true, attentionAt, attentionTries: 0 },
    updateAttempt: { id: request.id, state: 'not-sent', reason: ABSENT },
    order: 'release',
    ledger: chargeEntries(checkout, request, 'absent'),
  });
}
