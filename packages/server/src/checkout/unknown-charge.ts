import { raiseAlarm } from '../charges/context.ts';
import { chargeEntries } from '../charges/ledger-entries.ts';
import { isPastGrace } from '../service/timing.ts';
import type { CheckoutRow } from '../store/store.ts';
import { confirmationHash, readApplication } from './application.ts';
import { createCharge } from './charge-creation.ts';
import { endIfFound, endWithChargeId, findByTransaction } from './charge-outcome.ts';
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

/**
 * Looks up a charge with an unknown outcome, and ends the checkout when the service knows the
 * charge. When the service has no charge, the same request is sent again if that is safe:
 * {@link repeatRequest}.
 */
export async function pollUnknownCharge(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId?: string,
): Promise<CheckoutRow> {
  const request = await lastChargeRequest(ctx, checkout.id);
  if (request === undefined) return checkout;

  const found = await endIfFound(ctx, checkout, request, { priority: 'charge', requestId });
  if (typeof found === 'object') return found;
  const isPast = isPastGrace(ctx, request.createdAt);
  if (found === 'not-ours' && isPast) return reportForeignCharge(ctx, checkout, request, requestId);
  if (found !== 'absent') return showUnknown(ctx, checkout, request);
  const { reason } = request;
  if (isPast ? isRepeatable(reason) : isRepeatableAtOnce(reason)) {
    const repeated = await repeatRequest(ctx, checkout, request, requestId);
    if (repeated !== undefined) return repeated;
  }
  // The service reported that the token has its charge, so a missing charge proves nothing.
  return isPast && !isTokenUsed(reason)
    ? endAsAbsent(ctx, checkout, request)
    : showUnknown(ctx, checkout, request);
}

/**
 * Resends a request whose charge the service does not have, while the application still has the
 * confirmation token: the process that held the token died or gave up. The store contains only the
 * token's hash, which proves that the shopper confirmed with this token.
 * @returns undefined when the token is not available, or the request was already sent the maximum
 * number of times
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
  const hash = await confirmationHash(checkout.id, confirmationToken);
  if (hash !== checkout.confirmationHash) return undefined;
  const reason = last.reason ?? 'interrupted';
  const request = await recordRepeat(ctx, checkout, last, { reason, requestId });
  if (request === undefined) return ctx.store.findCheckout(checkout.id);
  const claim = { request, confirmationToken, isRepeated: true, isUnknown: true };
  return createCharge(ctx, { ...claim, before: checkout }, requestId);
}

/**
 * Looks up a charge that was recorded as absent or refused: if it exists after all, the shopper has
 * paid and the shop does not know. The lookup uses only our transaction id, because another
 * checkout may be creating a charge for the order.
 * @returns undefined when the service did not respond
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

/** Reason for a request whose order has a charge that is not in this store. */
const FOREIGN_CHARGE = 'charge-not-ours';
/** Maximum delay between two polls of such a request, in milliseconds. */
const FOREIGN_POLL_MS = 86_400_000;

/**
 * Reports that the order has a charge that may not be ours. The charge is neither accepted nor
 * reversed, and the order stays claimed until someone resolves it manually. The log reports it
 * once.
 */
function reportForeignCharge(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  request: ChargeRequest,
  requestId: string | undefined,
): Promise<CheckoutRow> {
  if (request.reason !== FOREIGN_CHARGE) {
    // Must precede the write: a crash in between then reports the charge twice rather than never.
    const fields = { security: true, requestId, checkoutId: checkout.id };
    raiseAlarm(ctx, 'charge-not-ours', fields);
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

/**
 * Makes a checkout unavailable if its companion died while the checkout was confirming: the outcome
 * is unknown.
 */
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
