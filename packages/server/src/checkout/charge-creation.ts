import { raiseAlarm } from '../charges/context.ts';
import { delay } from '@financing-checkout/kit';
import { describeError } from '../platform/logger.ts';
import { ProblemError } from '../platform/problem.ts';
import type { Charge } from '../service/charges.ts';
import { failureReason, serviceProblem } from '../service/problem.ts';
import {
  type Accepted,
  type CallFailure,
  type CallResult,
  notSent,
  type Rejected,
} from '../service/result.ts';
import type { CheckoutRow } from '../store/store.ts';
import {
  endIfFound,
  endWithCharge,
  endWithChargeId,
  findCharge,
  isOfAnotherCheckout,
} from './charge-outcome.ts';
import {
  type ChargeRequest,
  endRequest,
  isRepeatableAtOnce,
  MAX_SENT,
  renewRequest,
  unknownOutcome,
} from './charge-request.ts';
import { findCheckout } from './checkout.ts';
import type { CheckoutContext } from './context.ts';
import { findLostCharge, lostOutcome, reportLoss } from './lost-charge.ts';

/**
 * A checkout that is claimed for its charge, with the recorded request that has not been sent yet.
 */
export interface ChargeClaim {
  /** The checkout before the claim. */
  before: CheckoutRow;
  request: ChargeRequest;
  confirmationToken: string;
  /** Whether an earlier request with this token was sent. */
  isRepeated: boolean;
  /** Whether the outcome of an earlier request is unknown. */
  isUnknown: boolean;
}

/** How many times the process that holds the confirmation token retries a request. */
const MAX_REPEATS = 5;

/**
 * Creates the charge of a claimed checkout. A slow lender takes a minute, so this function waits no
 * longer than a page waits for a response: after that, it returns the `confirming` checkout, the
 * creation continues in the background, and the page polls.
 * @throws {ProblemError} service failures after which provably nothing was done
 */
export async function createCharge(
  ctx: CheckoutContext,
  claim: ChargeClaim,
  requestId: string | undefined,
): Promise<CheckoutRow> {
  const checkoutId = claim.before.id;
  const creation = sendUntilAnswered(ctx, claim, requestId);
  ctx.inFlight.add(creation);
  let cancel: () => void = () => undefined;
  const late = new Promise<undefined>((resolve) => {
    cancel = ctx.clock.after(ctx.timing.responseMs, () => resolve(undefined));
  });
  const ended = await Promise.race([creation, late]).finally(() => cancel());
  if (ended !== undefined) return ended;
  creation.catch((error: unknown) => {
    // The client has already received its response, so the failure is only logged.
    const isKnown = error instanceof ProblemError;
    ctx.logger.log(isKnown ? 'warn' : 'error', 'charge-not-created', {
      checkoutId,
      ...(isKnown ? { code: error.code } : describeError(error)),
    });
  });
  return findCheckout(ctx, checkoutId);
}

/**
 * Sends the request of a claimed checkout. When the connection is lost or the service fails, the
 * charge is looked up, and if there is none the same request is sent again: the service returns the
 * original charge for a repeated `merchantTransactionId`, and a confirmation token is valid for one
 * charge (reference: Charge API). After a timeout the charge is only looked up, because the first
 * request may still be running.
 * @throws {ProblemError} service failures after which provably nothing was done
 */
async function sendUntilAnswered(
  ctx: CheckoutContext,
  claim: ChargeClaim,
  requestId: string | undefined,
): Promise<CheckoutRow> {
  const { before } = claim;
  let { request, isUnknown } = claim;
  let reason = 'interrupted';
  const until = request.createdAt + ctx.timing.chargeLeaseMs;
  // Must follow the claim of the order: the claim may be the first write to a promoted standby.
  const lost = isUnknown ? 'none' : await findLostOf(ctx, before, requestId);
  if (lost === 'unresolved') return undo(ctx, before, request, notSent('unreachable'));
  if (lost !== 'none') return endAsLost(ctx, before, request, lost.chargeId, requestId);
  for (let repeats = 0; ; repeats++) {
    const result = await send(ctx, claim, request, requestId);
    if (result.kind === 'accepted') return acceptCharge(ctx, before, request, result, requestId);
    if (result.kind === 'rejected') {
      return checkRefusal(ctx, { ...claim, request, isUnknown }, result, requestId);
    }
    if (result.kind === 'not-sent' && !isUnknown) return undo(ctx, before, request, result);
    isUnknown = true;
    // A retry that was not sent does not change the reason recorded for the previous request.
    if (result.kind === 'unknown') reason = reasonOf(result);
    const why = { reason, serviceRequestId: result.serviceRequestId };
    if (!isRepeatableAtOnce(reason)) return endAsUnknown(ctx, before.id, request, why);

    let wait = repeatDelay(ctx, repeats, result.retryAfterMs);
    for (;;) {
      const found = await endIfFound(ctx, before, request, { priority: 'charge', requestId });
      if (typeof found === 'object') return found;
      const isLast = repeats >= MAX_REPEATS || request.sent >= MAX_SENT;
      if (found === 'not-ours' || isLast || ctx.clock.now() + wait >= until) {
        return endAsUnknown(ctx, before.id, request, why);
      }
      await delay(ctx.clock, wait);
      if (found === 'absent') break;
      wait *= 2;
    }
    const recorded = await renewRequest(ctx, before.id, request, { reason, requestId });
    // Another companion has taken over or ended the request.
    if (recorded === undefined) return findCheckout(ctx, before.id);
    request = recorded;
  }
}

function findLostOf(
  ctx: CheckoutContext,
  { environment, merchantOrderId, amount }: CheckoutRow,
  requestId: string | undefined,
) {
  const order = { environment, merchantOrderId, currency: amount.currency };
  return findLostCharge(ctx, order, { priority: 'charge', requestId });
}

/** Ends a request that was not sent, because the order has a charge that the store has lost. */
async function endAsLost(
  ctx: CheckoutContext,
  { id, environment, merchantOrderId }: CheckoutRow,
  request: ChargeRequest,
  chargeId: string,
  requestId: string | undefined,
): Promise<CheckoutRow> {
  await reportLoss(ctx, { environment, kind: 'charge', merchantOrderId, chargeId }, requestId);
  return endRequest(ctx, id, request, {
    set: lostOutcome,
    updateAttempt: { id: request.id, state: 'not-sent', reason: 'record-lost' },
  });
}

async function send(
  ctx: CheckoutContext,
  { before, confirmationToken }: ChargeClaim,
  { createdAt, merchantTransactionId, settle }: ChargeRequest,
  requestId: string | undefined,
): Promise<CallResult<Charge>> {
  // A process that slept past half its lease must not send: another process may have looked up the
  // charge, found none and let the shopper start again.
  if (ctx.clock.now() >= createdAt + ctx.timing.leaseMs / 2) return notSent('unreachable');
  const { merchantOrderId } = before;
  return ctx.service.createCharge(
    { confirmationToken, merchantOrderId, merchantTransactionId, settle },
    { priority: 'charge', requestId },
  );
}

/** Returns the retry backoff in milliseconds: half a second at first, then doubled each time. */
function repeatDelay({ timing }: CheckoutContext, repeats: number, retryAfterMs = 0): number {
  return Math.max(Math.ceil((timing.firstPollMs / 4) * 2 ** repeats), retryAfterMs);
}

/** Treats a gateway timeout as a timeout: the request behind the gateway may still be running. */
function reasonOf(result: CallFailure): string {
  const isTimeout = result.kind === 'unknown' && (result.status === 408 || result.status === 504);
  return isTimeout ? 'timeout' : failureReason(result);
}

/** Ends a checkout with the charge from the service's response. */
async function acceptCharge(
  ctx: CheckoutContext,
  before: CheckoutRow,
  request: ChargeRequest,
  { body, serviceRequestId }: Accepted<Charge>,
  requestId: string | undefined,
): Promise<CheckoutRow> {
  const { id } = before;
  if (!(await isOfAnotherCheckout(ctx, before, body.id))) {
    return endWithCharge(ctx, id, request, body, { requestId, serviceRequestId });
  }
  // The charge pays for another order, so it is neither accepted for this order nor reversed.
  const reason = 'foreign-charge';
  const fields = { security: true, requestId, serviceRequestId, checkoutId: id, reason };
  raiseAlarm(ctx, 'charge-mismatch', fields);
  await endAsUnknown(ctx, id, request, { reason, serviceRequestId });
  const found = await endIfFound(ctx, before, request, { priority: 'charge', requestId });
  return typeof found === 'object' ? found : findCheckout(ctx, id);
}

/**
 * Ends a checkout whose charge was refused. An intermediary or a faulty service may return a 4xx
 * after the charge was created: a refusal counts only when no charge is found and no earlier
 * request may have created one. The code 2002 for a repeated request means that the token already
 * has its charge, so it is not a refusal. The charge is looked up only once, because a page
 * controls how many refusals occur.
 */
async function checkRefusal(
  ctx: CheckoutContext,
  { before, request, isRepeated, isUnknown }: ChargeClaim,
  result: Rejected,
  requestId: string | undefined,
): Promise<CheckoutRow> {
  const { serviceRequestId } = result;
  const reason = failureReason(result);
  const isDoubtful = isUnknown || (isRepeated && result.codes.includes('2002'));
  if (isDoubtful) await endAsUnknown(ctx, before.id, request, { reason, serviceRequestId });
  const priority = isDoubtful ? 'charge' : 'refusal';
  const found = await findCharge(ctx, before, request, { priority, requestId });
  if (isDoubtful || found !== 'absent') {
    if (!isDoubtful) await endAsUnknown(ctx, before.id, request, { reason, serviceRequestId });
    const ended =
      typeof found === 'object'
        ? await endWithChargeId(ctx, before, request, found.chargeId, requestId)
        : undefined;
    return ended ?? findCheckout(ctx, before.id);
  }
  return endRequest(ctx, before.id, request, {
    set: {
      status: 'failed',
      retrySafe: undefined,
      attentionAt: ctx.clock.now() + ctx.timing.absenceGraceMs,
      attentionTries: 0,
    },
    updateAttempt: { id: request.id, state: 'rejected', serviceRequestId, reason },
    order: 'release',
  });
}

/**
 * Restores the checkout after provably nothing was done, so the same confirmation can be sent
 * again.
 */
async function undo(
  ctx: CheckoutContext,
  before: CheckoutRow,
  request: ChargeRequest,
  result: Exclude<CallFailure, Rejected>,
): Promise<never> {
  const { status, retrySafe, confirmationHash, attentionAt, attentionTries } = before;
  const { serviceRequestId } = result;
  const reason = failureReason(result);
  await endRequest(ctx, before.id, request, {
    set: { status, retrySafe, confirmationHash, attentionAt, attentionTries },
    updateAttempt: { id: request.id, state: 'not-sent', serviceRequestId, reason },
    order: 'release',
  });
  throw serviceProblem(result, { movesMoney: true });
}

function endAsUnknown(
  ctx: CheckoutContext,
  checkoutId: string,
  request: ChargeRequest,
  why: { reason: string; serviceRequestId?: string },
): Promise<CheckoutRow> {
  return endRequest(ctx, checkoutId, request, unknownOutcome(ctx, request, why));
}
