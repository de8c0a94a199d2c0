import { ProblemError } from '../platform/problem.ts';
import type { CheckoutRow } from '../store/store.ts';
import { isApproved } from './application-status.ts';
import { refuseAboveRefusals } from './budgets.ts';
import { chargeRequest } from './charge-request.ts';
import { type CheckoutContext, ownCheckout } from './context.ts';
import { refuseChangedOrder } from './drift.ts';
import { randomId, sha256 } from '../platform/id.ts';
import { lookForRefusedCharges } from './lookup.ts';
import { type ChargeClaim, createCharge } from './sending.ts';
import { answerInTime } from './under-way.ts';

export interface ConfirmationInput {
  checkoutId: string;
  confirmationToken: string;
  requestId: string;
  /** The order as the page has it now, where it says so. */
  current?: { order: string; origin: string; request: Request } | undefined;
  /**
   * Whether the token comes from the service itself. It confirms also a checkout that has expired
   * here, since the shopper approved in time. When a page brings a token after that, the service is
   * asked: it reports the same approval by itself, and the shopper would hear of no charge just
   * before there is one.
   */
  byService?: boolean | undefined;
}

/**
 * Creates the charge of a checkout, at most one whatever happens: the confirmation claims the
 * checkout and its merchant order in one transaction, and the attempt is on disk before it is sent.
 * @returns the checkout: `confirming` while the service takes its time, `unavailable` when it is
 * unknown whether the charge exists
 * @throws {ProblemError} `checkout-not-found`, `checkout-not-open`, `rate-limited`, and the service's
 * failures after which provably nothing was done
 */
export async function confirmCheckout(
  ctx: CheckoutContext,
  input: ConfirmationInput,
): Promise<CheckoutRow> {
  const { checkoutId, requestId } = input;
  const hash = await sha256(`${checkoutId} ${input.confirmationToken}`);
  const claim = await claimCharge(ctx, input, hash);
  if ('current' in claim) return claim.current;
  return answerInTime(ctx, checkoutId, createCharge(ctx, claim, requestId));
}

async function claimCharge(
  ctx: CheckoutContext,
  { checkoutId, confirmationToken, current, byService, requestId }: ConfirmationInput,
  hash: string,
): Promise<ChargeClaim | { current: CheckoutRow }> {
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
    // The service's own confirmation is no garbage: the shopper has a loan by it.
    if (byService !== true) await refuseAboveRefusals(ctx, before);
    await lookForRefusedCharges(ctx, before, requestId);
    const last = repeated ? chargeRequest(ctx, await ctx.store.findAttempts(before.id)) : undefined;
    // A repeated confirmation is the same request to the service: it keeps its transaction id.
    const merchantTransactionId = last?.merchantTransactionId ?? randomId('txn');
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
        attentionAt: now + ctx.waits.chargeLeaseMs,
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
      const { settle } = ctx;
      const sent = (last?.sent ?? 0) + 1;
      const made = { id: attemptId, merchantTransactionId, createdAt: now, settle, sent };
      return {
        before,
        request: { ...made, isListed: false, reason: undefined },
        confirmationToken,
        isRepeated: repeated,
        isUnknown: false,
        sendBefore: now + ctx.waits.leaseMs / 2,
      };
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
