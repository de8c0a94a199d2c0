import { delay } from '../platform/clock.ts';
import type { Charge } from '../service/charges.ts';
import type { Accepted, CallFailure, CallResult, Rejected } from '../service/result.ts';
import type { CheckoutRow } from '../store/store.ts';
import { endWithCharge } from './charge.ts';
import { type ChargeRequest, hasEnded, MAX_SENT } from './charge-request.ts';
import type { CheckoutContext } from './context.ts';
import { endWithFound, findCharge, type FoundCharge, isOfAnother } from './find-charge.ts';
import { currentCheckout, renew, writeEnd } from './held-request.ts';
import { failureReason } from './prime.ts';
import { serviceProblem } from './service-problem.ts';

/** A checkout that is claimed for its charge, with the request that is recorded and not sent. */
export interface ChargeClaim {
  /** The checkout before the claim. */
  before: CheckoutRow;
  request: ChargeRequest;
  confirmationToken: string;
  /** Whether a request with this token was sent before. */
  isRepeated: boolean;
  /** Whether the outcome of such a request is unknown. */
  isUnknown: boolean;
  /**
   * Milliseconds since 1970. A process that slept past it must not send: another one may have
   * looked the charge up, found nothing and let the shopper start again.
   */
  sendBefore: number;
}

/** How often a request is repeated by the process that holds its confirmation token. */
const MAX_REPEATS = 5;

/**
 * Creates the charge of a claimed checkout. Where the connection is lost, or the service fails, the
 * charge is looked up, and where there is none the same request is sent again: the service answers
 * a repeated `merchantTransactionId` with the original charge, and a confirmation token is good for
 * one charge (reference: Charge API). After a timeout it is looked up only, since the first request
 * may still be running.
 * @throws {ProblemError} the service's failures after which provably nothing was done
 */
export async function createCharge(
  ctx: CheckoutContext,
  claim: ChargeClaim,
  requestId: string | undefined,
): Promise<CheckoutRow> {
  const { before } = claim;
  let { request, sendBefore, isUnknown } = claim;
  let reason = 'interrupted';
  const until = request.createdAt + ctx.waits.chargeLeaseMs;
  for (let repeats = 0; ; repeats++) {
    const result = await send(ctx, claim, { request, sendBefore }, requestId);
    if (result.kind === 'accepted') return takeCharge(ctx, claim, request, result, requestId);
    if (result.kind === 'rejected') {
      return takeRefusal(ctx, { ...claim, isUnknown }, request, result, requestId);
    }
    if (result.kind === 'not-sent' && !isUnknown) return undo(ctx, claim, request, result);
    isUnknown = true;
    // A repetition that was not sent changes nothing about the request before it.
    if (result.kind === 'unknown') reason = reasonOf(result);
    const why = { reason, serviceRequestId: result.serviceRequestId };
    if (!hasEnded(reason)) return endAsUnknown(ctx, before.id, request, why);

    let wait = repeatDelay(ctx, repeats, result.retryAfterMs);
    for (;;) {
      const found = await findCharge(ctx, before, request, { requestId });
      if (typeof found === 'object') {
        const ended = await endWithFound(ctx, before, request, found.chargeId, requestId);
        if (ended !== undefined) return ended;
      }
      const isLast = repeats >= MAX_REPEATS || request.sent >= MAX_SENT;
      if (found === 'not-ours' || isLast || ctx.clock.now() + wait >= until) {
        return endAsUnknown(ctx, before.id, request, why);
      }
      await delay(ctx.clock, wait);
      if (found === 'absent') break;
      wait *= 2;
    }
    const recorded = await renew(ctx, before.id, request, { reason, requestId });
    // Another companion holds it, or has ended it.
    if (recorded === undefined) return currentCheckout(ctx, before.id);
    request = recorded;
    sendBefore = request.createdAt + ctx.waits.leaseMs / 2;
  }
}

async function send(
  ctx: CheckoutContext,
  { before, confirmationToken }: ChargeClaim,
  { request, sendBefore }: Pick<ChargeClaim, 'request' | 'sendBefore'>,
  requestId: string | undefined,
): Promise<CallResult<Charge>> {
  if (ctx.clock.now() >= sendBefore) {
    const nothing = { serviceRequestId: undefined, retryAfterMs: undefined };
    return { kind: 'not-sent', reason: 'unreachable', ...nothing };
  }
  const { merchantTransactionId, settle } = request;
  const { merchantOrderId } = before;
  return ctx.service.createCharge(
    { confirmationToken, merchantOrderId, merchantTransactionId, settle },
    requestId,
  );
}

/** Milliseconds until the same request is sent again: half a second at first, then doubled. */
function repeatDelay({ waits }: CheckoutContext, repeats: number, retryAfterMs = 0): number {
  return Math.max(Math.ceil((waits.firstLookMs / 4) * 2 ** repeats), retryAfterMs);
}

/** A gateway that gave up waiting says nothing of the request behind it: that is a timeout, too. */
function reasonOf(result: CallFailure): string {
  const isTimeout = result.kind === 'unknown' && (result.status === 408 || result.status === 504);
  return isTimeout ? 'timeout' : failureReason(result);
}

/** Ends a checkout with the charge that the service answered with. */
async function takeCharge(
  ctx: CheckoutContext,
  { before }: ChargeClaim,
  request: ChargeRequest,
  { body, serviceRequestId }: Accepted<Charge>,
  requestId: string | undefined,
): Promise<CheckoutRow> {
  const { id } = before;
  if (!(await isOfAnother(ctx, before, body.id))) {
    return endWithCharge(ctx, id, request, body, { requestId, serviceRequestId });
  }
  // Another order is paid with it: it is neither taken for this one nor given back.
  const reason = 'foreign-charge';
  ctx.counters.increment('charge-mismatch');
  ctx.logger.log('error', 'charge-mismatch', {
    security: true,
    requestId,
    serviceRequestId,
    checkoutId: id,
    reason,
  });
  await endAsUnknown(ctx, id, request, { reason, serviceRequestId });
  const found = await findCharge(ctx, before, request, { requestId });
  return endIfFound(ctx, before, request, found, requestId);
}

/**
 * Ends a checkout whose charge was refused. Something in between, or a service that lies, answers
 * 4xx after the charge was made: a refusal is believed when no charge is found, and when no earlier
 * request may have made it. The code 2002 on a repeated request says that the token has its charge:
 * that is no refusal. The charge is looked up once: a page decides how often it is refused.
 */
async function takeRefusal(
  ctx: CheckoutContext,
  { before, isRepeated, isUnknown }: ChargeClaim,
  request: ChargeRequest,
  result: Rejected,
  requestId: string | undefined,
): Promise<CheckoutRow> {
  const { serviceRequestId } = result;
  const reason = failureReason(result);
  const isTaken = isRepeated && result.codes.includes('2002');
  const isDoubtful = isUnknown || isTaken;
  if (isDoubtful) await endAsUnknown(ctx, before.id, request, { reason, serviceRequestId });
  const found = await findCharge(ctx, before, request, {
    requestId,
    priority: isDoubtful ? 'charge' : 'refusal',
  });
  if (isDoubtful || found !== 'absent') {
    if (!isDoubtful) await endAsUnknown(ctx, before.id, request, { reason, serviceRequestId });
    return endIfFound(ctx, before, request, found, requestId);
  }
  return writeEnd(ctx, before.id, request, {
    set: {
      status: 'failed',
      retrySafe: undefined,
      attentionAt: ctx.clock.now() + ctx.waits.absenceGraceMs,
      attentionTries: 0,
    },
    updateAttempt: { id: request.id, state: 'rejected', serviceRequestId, reason },
    order: 'release',
  });
}

async function endIfFound(
  ctx: CheckoutContext,
  before: CheckoutRow,
  request: ChargeRequest,
  found: FoundCharge,
  requestId: string | undefined,
): Promise<CheckoutRow> {
  const ended =
    typeof found === 'object'
      ? await endWithFound(ctx, before, request, found.chargeId, requestId)
      : undefined;
  return ended ?? currentCheckout(ctx, before.id);
}

/** Provably not done: the checkout is as before, so the same confirmation can be sent again. */
async function undo(
  ctx: CheckoutContext,
  { before }: ChargeClaim,
  request: ChargeRequest,
  result: Exclude<CallFailure, Rejected>,
): Promise<never> {
  const { serviceRequestId } = result;
  await writeEnd(ctx, before.id, request, {
    set: {
      status: before.status,
      retrySafe: before.retrySafe,
      confirmationHash: before.confirmationHash,
      attentionAt: before.attentionAt,
      attentionTries: before.attentionTries,
    },
    updateAttempt: {
      id: request.id,
      state: 'not-sent',
      serviceRequestId,
      reason: failureReason(result),
    },
    order: 'release',
  });
  throw serviceProblem(result, { movesMoney: true });
}

function endAsUnknown(
  ctx: CheckoutContext,
  id: string,
  request: ChargeRequest,
  { reason, serviceRequestId }: { reason: string; serviceRequestId: string | undefined },
): Promise<CheckoutRow> {
  return writeEnd(ctx, id, request, {
    set: {
      status: 'unavailable',
      retrySafe: false,
      attentionAt: ctx.clock.now() + ctx.waits.firstLookMs,
      attentionTries: 0,
    },
    updateAttempt: { id: request.id, state: 'unknown', serviceRequestId, reason },
    ledger: request.isListed ? [] : ('unknown' as const),
  });
}
