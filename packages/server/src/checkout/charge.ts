import { ProblemError } from '../problem/problem.ts';
import { type Charge, chargeDifference } from '../service/charges.ts';
import type { CheckoutRow } from '../store/store.ts';
import { attentionDelay, type CheckoutContext, LEASE_MS } from './context.ts';
import { randomId } from './id.ts';

/**
 * Ends a checkout whose charge exists: approved when it is the primed money for the primed order,
 * else failed, and the charge is voided. Otherwise the token of a cheap order would pay a dear one.
 */
export async function endWithCharge(
  ctx: CheckoutContext,
  checkoutId: string,
  attemptId: string,
  charge: Charge,
  ids: { requestId?: string | undefined; serviceRequestId?: string | undefined },
): Promise<CheckoutRow> {
  for (;;) {
    const checkout = await ctx.store.findCheckout(checkoutId);
    if (checkout === undefined) throw new ProblemError('checkout-not-found');
    // What the service says of the charge is the truth, also after it was thought absent.
    if (checkout.status !== 'confirming' && checkout.status !== 'unavailable') return checkout;
    const difference = chargeDifference(charge, checkout);
    const voided = charge.state === 'Voided';
    const now = ctx.clock.now();
    const updateAttempt = {
      id: attemptId,
      state: 'accepted' as const,
      serviceRequestId: ids.serviceRequestId,
    };
    const facts = { retrySafe: undefined, chargeId: charge.id, chargeState: charge.state };
    const common = { id: checkoutId, revision: checkout.revision, now, updateAttempt };

    if (difference === undefined && !voided) {
      const result = await ctx.store.changeCheckout({
        ...common,
        set: { ...facts, status: 'approved', attentionAt: undefined },
        order: 'claim',
      });
      if (result.kind === 'stale') continue;
      if (result.kind === 'order-taken') return reportTwin(ctx, checkout, ids.requestId);
      ctx.changed();
      return result.checkout;
    }
    if (voided) {
      const result = await ctx.store.changeCheckout({
        ...common,
        set: { ...facts, status: 'failed', attentionAt: undefined },
        order: 'release',
      });
      if (result.kind !== 'changed') continue;
      ctx.changed();
      return result.checkout;
    }
    const voidAttempt = randomId('att');
    const result = await ctx.store.changeCheckout({
      ...common,
      set: { ...facts, status: 'failed', attentionAt: now + LEASE_MS, attentionTries: 0 },
      insertAttempt: {
        id: voidAttempt,
        kind: 'void',
        checkoutId,
        merchantTransactionId: undefined,
      },
    });
    if (result.kind !== 'changed') continue;
    ctx.changed();
    ctx.counters.increment('charge-mismatch');
    ctx.logger.log('error', 'charge-mismatch', {
      security: true,
      requestId: ids.requestId,
      serviceRequestId: ids.serviceRequestId,
      checkoutId,
      reason: difference,
    });
    return voidCharge(ctx, result.checkout, voidAttempt, ids.requestId);
  }
}

/**
 * Voids the charge of a failed checkout and writes down how that went. Voiding twice moves no
 * money, so this one may be repeated until it is known to be done.
 */
export async function voidCharge(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  attemptId: string,
  requestId?: string,
): Promise<CheckoutRow> {
  if (checkout.chargeId === undefined) return checkout;
  const result = await ctx.service.voidCharge(checkout.chargeId, requestId);
  const done = result.kind === 'accepted';
  const now = ctx.clock.now();
  const reason =
    result.kind === 'accepted' || result.kind === 'rejected' ? undefined : result.reason;
  const change = await ctx.store.changeCheckout({
    id: checkout.id,
    revision: checkout.revision,
    now,
    set: done
      ? { chargeState: 'Voided', attentionAt: undefined }
      : {
          // Rejected: it cannot be voided at this stage, and asking again will not help.
          attentionAt:
            result.kind === 'rejected' ? undefined : now + attentionDelay(checkout.attentionTries),
        },
    updateAttempt: {
      id: attemptId,
      state: result.kind,
      serviceRequestId: result.serviceRequestId,
      reason,
    },
    // While the stray charge may exist, the order must not get a second one.
    order: done ? 'release' : undefined,
  });
  if (!done) {
    ctx.logger.log('error', 'charge-not-voided', {
      security: true,
      requestId,
      checkoutId: checkout.id,
      outcome: result.kind,
    });
  }
  if (change.kind !== 'changed') return (await ctx.store.findCheckout(checkout.id)) ?? checkout;
  ctx.changed();
  return change.checkout;
}

/**
 * A charge turned up for a checkout after another checkout took over its order: two charges for one
 * order. A person has to look at it; the checkout stays as it is and is not called approved.
 */
function reportTwin(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId: string | undefined,
): CheckoutRow {
  ctx.logger.log('error', 'charge-doubled', {
    security: true,
    requestId,
    checkoutId: checkout.id,
    reason: 'order-taken',
  });
  return checkout;
}
