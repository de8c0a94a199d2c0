import { ProblemError } from '../problem/problem.ts';
import type { CallResult } from '../service/result.ts';
import type { Charge } from '../service/charges.ts';
import type { CheckoutRow } from '../store/store.ts';
import { type CheckoutContext, LEASE_MS } from './context.ts';
import { endWithCharge } from './charge.ts';
import { randomId, sha256 } from './id.ts';
import { lookUpCharge } from './lookup.ts';
import { failureReason } from './prime.ts';
import { serviceProblem } from './service-problem.ts';

export interface ConfirmationInput {
  checkoutId: string;
  confirmationToken: string;
  requestId: string;
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
  const claim = await claimCharge(ctx, checkoutId, hash);
  if ('current' in claim) return claim.current;

  const { before, merchantTransactionId } = claim;
  const result: CallResult<Charge> =
    // A process that slept past its lease must not send: another one may have looked the charge
    // up, found nothing and told the shopper to start again.
    ctx.clock.now() < claim.sendBefore
      ? await ctx.service.createCharge(
          {
            confirmationToken: input.confirmationToken,
            merchantOrderId: before.merchantOrderId,
            merchantTransactionId,
            settle: ctx.settle,
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
  attemptId: string;
  merchantTransactionId: string;
  /** Whether an earlier attempt with this token ended unknown. */
  repeated: boolean;
  sendBefore: number;
}

async function claimCharge(
  ctx: CheckoutContext,
  checkoutId: string,
  hash: string,
): Promise<Claim | { current: CheckoutRow }> {
  for (;;) {
    const before = await ctx.store.findCheckout(checkoutId);
    if (before === undefined) throw new ProblemError('checkout-not-found');
    const repeated = before.confirmationHash !== undefined;
    if (repeated && before.confirmationHash !== hash) {
      throw new ProblemError('checkout-not-open', {
        detail: 'It was confirmed before, with another confirmation token.',
      });
    }
    const now = ctx.clock.now();
    const open = before.status === 'open' && before.expiresAt > now;
    const waiting = before.status === 'pending' && !repeated;
    const provedAbsent = before.status === 'unavailable' && before.retrySafe === true && repeated;
    if (!open && !waiting && !provedAbsent) {
      if (repeated) return { current: before };
      throw new ProblemError('checkout-not-open', {
        detail: 'It has ended: start a new one.',
        retrySafe: true,
      });
    }
    const merchantTransactionId = await transactionIdFor(ctx, before, repeated);
    const attemptId = randomId('att');
    const change = await ctx.store.changeCheckout({
      id: checkoutId,
      revision: before.revision,
      now,
      set: {
        status: 'confirming',
        retrySafe: undefined,
        confirmationHash: hash,
        attentionAt: now + LEASE_MS,
        attentionTries: 0,
      },
      order: 'claim',
      insertAttempt: { id: attemptId, kind: 'charge', checkoutId, merchantTransactionId },
    });
    if (change.kind === 'order-taken') {
      throw new ProblemError('checkout-not-open', {
        detail: 'Another checkout has made, or is making, the charge of this order.',
      });
    }
    if (change.kind === 'changed') {
      ctx.changed();
      const sendBefore = now + LEASE_MS / 2;
      return { before, attemptId, merchantTransactionId, repeated, sendBefore };
    }
    // Stale: a second confirmation, a cancellation or the clock was faster. Look again.
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
    const last = attempts.findLast((attempt) => attempt.kind === 'charge');
    if (last?.merchantTransactionId !== undefined) return last.merchantTransactionId;
  }
  return randomId('txn');
}

async function applyResult(
  ctx: CheckoutContext,
  claim: Claim,
  result: CallResult<Charge>,
  requestId: string,
): Promise<CheckoutRow> {
  const { before, attemptId } = claim;
  const { serviceRequestId } = result;
  const id = before.id;
  if (result.kind === 'accepted') {
    return endWithCharge(ctx, id, attemptId, result.body, { requestId, serviceRequestId });
  }
  const reason = failureReason(result);
  // 2002: the token has a charge already. After an attempt of ours whose outcome is unknown, that
  // charge is most likely ours: it is looked up, not denied.
  const taken = result.kind === 'rejected' && result.codes.includes('2002') && claim.repeated;
  if (result.kind === 'unknown' || taken) {
    const checkout = await change(ctx, id, {
      set: {
        status: 'unavailable',
        retrySafe: false,
        attentionAt: ctx.clock.now() + 2_000,
        attentionTries: 0,
      },
      updateAttempt: { id: attemptId, state: 'unknown', serviceRequestId, reason },
    });
    return taken ? lookUpCharge(ctx, checkout, requestId) : checkout;
  }
  if (result.kind === 'rejected') {
    return change(ctx, id, {
      set: { status: 'failed', retrySafe: undefined, attentionAt: undefined },
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
    'set' | 'updateAttempt' | 'order'
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
