import { ProblemError } from '../problem/problem.ts';
import type { CallResult } from '../service/result.ts';
import type { Charge } from '../service/charges.ts';
import type { CheckoutRow } from '../store/store.ts';
import { type CheckoutContext, ownCheckout } from './context.ts';
import { type ChargeRequest, endWithCharge } from './charge.ts';
import { chargeEntries } from '../ledger/entries.ts';
import { isApproved } from './application.ts';
import { refuseChangedOrder } from './drift.ts';
import { randomId, sha256 } from './id.ts';
import {
  chargeRequest,
  isDoubtful,
  isOfAnother,
  lookForRefusedCharges,
  lookUpCharge,
} from './lookup.ts';
import { failureReason } from './prime.ts';
import { serviceProblem } from './service-problem.ts';

export interface ConfirmationInput {
  checkoutId: string;
  confirmationToken: string;
  requestId: string;
  /** The order as the page has it now, where it says so. */
  current?: { order: string; origin: string; request: Request } | undefined;
  /**
   * Told by the service itself: it confirms also a checkout that has expired here meanwhile, since
   * the shopper had approved in time. Of what a page brings after that the service is asked: it tells
   * of the same approval by itself, and the shopper would hear of no charge just before there is one.
   */
  byService?: boolean | undefined;
}

/**
 * Makes the charge of a checkout, at most once whatever happens: the confirmation claims the
 * checkout and its merchant order in one transaction, and the attempt is on disk before it is sent.
 * @returns the checkout as it is then; `unavailable` when it is not known whether the charge exists
 * @throws {ProblemError} `checkout-not-found`, `checkout-not-open`, and the service's failures
 * after which provably nothing was done
 */
export async function confirmCheckout(
  ctx: CheckoutContext,
  input: ConfirmationInput,
): Promise<CheckoutRow> {
  const { checkoutId, requestId } = input;
  const hash = await sha256(`${checkoutId} ${input.confirmationToken}`);
  const claim = await claimCharge(ctx, input, hash);
  if ('current' in claim) return claim.current;

  const { before, request } = claim;
  const result: CallResult<Charge> =
    // A process that slept past its lease must not send: another one may have looked the charge
    // up, found nothing and told the shopper to start again.
    ctx.clock.now() < claim.sendBefore
      ? await ctx.service.createCharge(
          {
            confirmationToken: input.confirmationToken,
            merchantOrderId: before.merchantOrderId,
            merchantTransactionId: request.merchantTransactionId,
            settle: request.settle,
          },
          requestId,
        )
      : {
          kind: 'not-sent',
          reason: 'unreachable',
          serviceRequestId: undefined,
          retryAfterMs: undefined,
        };
  return applyResult(ctx, claim, result, requestId);
}

interface Claim {
  before: CheckoutRow;
  request: ChargeRequest;
  /** Whether an earlier attempt with this token ended unknown. */
  repeated: boolean;
  sendBefore: number;
}

async function claimCharge(
  ctx: CheckoutContext,
  { checkoutId, current, byService, requestId }: ConfirmationInput,
  hash: string,
): Promise<Claim | { current: CheckoutRow }> {
  for (;;) {
    const before = await ownCheckout(ctx, checkoutId);
    const repeated = before.confirmationHash !== undefined;
    if (repeated && before.confirmationHash !== hash) {
      throw new ProblemError('checkout-not-open', {
        detail: 'It was confirmed before, with another confirmation token.',
      });
    }
    const over =
      before.status === 'open'
        ? before.expiresAt <= ctx.clock.now()
        : before.status === 'expired' && !repeated;
    const open = before.status === 'open' && !over;
    const late = over && (byService === true || (await isApproved(ctx, before, requestId)));
    const waiting = before.status === 'pending' && !repeated;
    const provedAbsent = before.status === 'unavailable' && before.retrySafe === true && repeated;
    if (!open && !late && !waiting && !provedAbsent) {
      if (repeated) return { current: before };
      throw new ProblemError('checkout-not-open', {
        detail: 'It has ended: start a new one.',
        retrySafe: true,
      });
    }
    if (current && (await hasChanged(ctx, before, current))) continue;
    if (byService === true && before.orderChanged) {
      throw new ProblemError('order-changed', {
        detail: 'The page has said that the order is another one by now.',
      });
    }
    await lookForRefusedCharges(ctx, before, requestId);
    const merchantTransactionId = await transactionIdFor(ctx, before, repeated);
    const now = ctx.clock.now();
    const attemptId = randomId('att');
    const change = await ctx.store.changeCheckout({
      id: checkoutId,
      revision: before.revision,
      now,
      set: {
        status: 'confirming',
        retrySafe: undefined,
        confirmationHash: hash,
        attentionAt: now + ctx.waits.leaseMs,
        attentionTries: 0,
      },
      order: 'claim',
      insertAttempt: {
        id: attemptId,
        kind: 'charge',
        checkoutId,
        merchantTransactionId,
        requestId,
        settle: ctx.settle,
      },
    });
    if (change.kind === 'order-taken') {
      throw new ProblemError('checkout-not-open', {
        detail: 'Another checkout has made, or is making, the charge of this order.',
      });
    }
    if (change.kind === 'changed') {
      ctx.changed();
      const sendBefore = now + ctx.waits.leaseMs / 2;
      const { settle } = ctx;
      const made = { id: attemptId, merchantTransactionId, createdAt: now };
      const request = { ...made, settle, isListed: false };
      return { before, request, repeated, sendBefore };
    }
    // Stale: a second confirmation, a cancellation or the clock was faster. Look again.
  }
}

/**
 * Refuses a confirmation of an order that has changed, and keeps that the page said so: the
 * service tells of the same confirmation by itself, and that must not charge it either.
 * @returns true when the checkout has to be looked at again
 * @throws {ProblemError} `order-changed`
 */
async function hasChanged(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  current: NonNullable<ConfirmationInput['current']>,
): Promise<boolean> {
  try {
    await refuseChangedOrder(ctx, checkout, current.order, current);
    return false;
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'order-changed') throw error;
    if (!checkout.orderChanged) {
      const change = await ctx.store.changeCheckout({
        id: checkout.id,
        revision: checkout.revision,
        now: ctx.clock.now(),
        set: { orderChanged: true },
      });
      if (change.kind === 'stale') return true;
    }
    throw error;
  }
}

/** A repeated confirmation is the same request to the service: it keeps its transaction id. */
async function transactionIdFor(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  repeated: boolean,
): Promise<string> {
  if (repeated) {
    const attempts = await ctx.store.findAttempts(checkout.id);
    const last = chargeRequest(ctx, attempts);
    if (last !== undefined) return last.merchantTransactionId;
  }
  return randomId('txn');
}

async function applyResult(
  ctx: CheckoutContext,
  claim: Claim,
  result: CallResult<Charge>,
  requestId: string,
): Promise<CheckoutRow> {
  const { before, request } = claim;
  const attemptId = request.id;
  const { serviceRequestId } = result;
  const id = before.id;
  const foreign = result.kind === 'accepted' && (await isOfAnother(ctx, before, result.body.id));
  if (result.kind === 'accepted' && !foreign) {
    return endWithCharge(ctx, id, request, result.body, { requestId, serviceRequestId });
  }
  const reason = result.kind === 'accepted' ? 'foreign-charge' : failureReason(result);
  if (foreign) {
    // Another order is paid with it: it is neither taken for this one nor given back.
    ctx.counters.increment('charge-mismatch');
    ctx.logger.log('error', 'charge-mismatch', {
      security: true,
      requestId,
      serviceRequestId,
      checkoutId: id,
      reason,
    });
  }
  // 2002: the token has a charge already. After an attempt of ours whose outcome is unknown, that
  // charge is most likely ours: it is looked up, not denied.
  const taken = result.kind === 'rejected' && result.codes.includes('2002') && claim.repeated;
  const doubtful =
    result.kind === 'rejected' && (taken || (await isDoubtful(ctx, before, request, requestId)));
  if (result.kind === 'accepted' || result.kind === 'unknown' || doubtful) {
    const checkout = await change(ctx, id, {
      set: {
        status: 'unavailable',
        retrySafe: false,
        attentionAt: ctx.clock.now() + ctx.waits.firstLookMs,
        attentionTries: 0,
      },
      updateAttempt: { id: attemptId, state: 'unknown', serviceRequestId, reason },
      ledger: chargeEntries(before, request, 'unknown'),
    });
    return doubtful || foreign ? lookUpCharge(ctx, checkout, requestId) : checkout;
  }
  if (result.kind === 'rejected') {
    return change(ctx, id, {
      set: {
        status: 'failed',
        retrySafe: undefined,
        attentionAt: ctx.clock.now() + ctx.waits.absenceGraceMs,
        attentionTries: 0,
      },
      updateAttempt: { id: attemptId, state: 'rejected', serviceRequestId, reason },
      order: 'release',
    });
  }
  // Provably not done: as it was before, so the same confirmation can be sent again.
  await change(ctx, id, {
    set: {
      status: before.status,
      retrySafe: before.retrySafe,
      confirmationHash: before.confirmationHash,
      attentionAt: before.attentionAt,
      attentionTries: before.attentionTries,
    },
    updateAttempt: { id: attemptId, state: 'not-sent', serviceRequestId, reason },
    order: 'release',
  });
  throw serviceProblem(result, { movesMoney: true });
}

/** Writes how a confirmation went, unless a look-up has found out more meanwhile. */
async function change(
  ctx: CheckoutContext,
  id: string,
  what: Pick<
    Parameters<CheckoutContext['store']['changeCheckout']>[0],
    'set' | 'updateAttempt' | 'order' | 'ledger'
  >,
): Promise<CheckoutRow> {
  for (;;) {
    const current = await ctx.store.findCheckout(id);
    if (current === undefined) throw new ProblemError('checkout-not-found');
    if (current.status !== 'confirming') {
      if (what.updateAttempt) await ctx.store.updateAttempt(what.updateAttempt, ctx.clock.now());
      return current;
    }
    const result = await ctx.store.changeCheckout({
      id,
      revision: current.revision,
      now: ctx.clock.now(),
      ...what,
    });
    if (result.kind === 'changed') {
      ctx.changed();
      return result.checkout;
    }
  }
}
