import { followed } from '../charges/follow.ts';
import { ProblemError } from '../problem/problem.ts';
import { chargeEntries } from '../ledger/entries.ts';
import { type Charge, chargeDifference, isSettlePending } from '../service/charges.ts';
import type { PendingOperation } from '../store/pending-operations.ts';
import type { CheckoutRow } from '../store/store.ts';
import type { CheckoutContext } from './context.ts';
import { randomId } from './id.ts';
import { reverseCharge } from './reversal.ts';

/** The request that made a charge. */
export interface ChargeRequest {
  /** Id of the recorded attempt. */
  id: string;
  merchantTransactionId: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** Whether its settle was asked for with it. */
  settle: boolean;
  /** Whether the ledger says that it may have been made. */
  isListed: boolean;
}

/**
 * Ends a checkout whose charge exists: approved when it is the primed money for the primed order,
 * else failed, and the charge is given back. Otherwise the token of a cheap order would pay a dear
 * one.
 */
export async function endWithCharge(
  ctx: CheckoutContext,
  checkoutId: string,
  request: ChargeRequest,
  charge: Charge,
  ids: { requestId?: string | undefined; serviceRequestId?: string | undefined },
): Promise<CheckoutRow> {
  let isAlarmRaised = false;
  for (;;) {
    const checkout = await ctx.store.findCheckout(checkoutId);
    if (checkout === undefined) throw new ProblemError('checkout-not-found');
    // What the service says of the charge is the truth, also after it was thought absent or refused.
    const { status } = checkout;
    if (status !== 'confirming' && status !== 'unavailable' && !isRefused(checkout))
      return checkout;
    const difference = chargeDifference(charge, checkout);
    const voided = charge.state === 'Voided';
    const now = ctx.clock.now();
    const facts = { retrySafe: undefined, chargeId: charge.id, chargeState: charge.state };
    const common = {
      id: checkoutId,
      revision: checkout.revision,
      now,
      updateAttempt: {
        id: request.id,
        state: 'accepted' as const,
        serviceRequestId: ids.serviceRequestId,
      },
      ledger: chargeEntries(checkout, request, 'accepted', charge),
    };

    if (difference === undefined && !voided) {
      const result = await ctx.store.changeCheckout({
        ...common,
        set: { ...facts, status: 'approved', attentionAt: undefined },
        order: 'claim',
        insertPending: pendingSettle(ctx, checkout, request, charge),
      });
      if (result.kind === 'stale') continue;
      if (result.kind === 'order-taken') return reportTwin(ctx, checkout, ids.requestId);
      ctx.changed();
      return result.checkout;
    }
    if (!voided && !isAlarmRaised) {
      // Before it is written down: whoever looks next, should this companion die, finds it failed.
      isAlarmRaised = true;
      ctx.counters.increment('charge-mismatch');
      ctx.logger.log('error', 'charge-mismatch', {
        security: true,
        requestId: ids.requestId,
        serviceRequestId: ids.serviceRequestId,
        checkoutId,
        reason: difference,
      });
    }
    // Failed. While the stray charge may exist, the order must not get a second one; should this
    // companion die here, the checkout is due when its lease ends.
    const result = await ctx.store.changeCheckout({
      ...common,
      set: {
        ...facts,
        status: 'failed',
        attentionAt: voided ? undefined : now + ctx.waits.leaseMs,
        attentionTries: 0,
      },
      order: voided ? 'release' : undefined,
    });
    if (result.kind !== 'changed') continue;
    ctx.changed();
    if (voided) return result.checkout;
    return reverseCharge(ctx, result.checkout, ids.requestId);
  }
}

/**
 * Whether a checkout ended because its charge was refused. The service knew no such charge then; it may
 * have made it all the same, and show it later.
 */
export function isRefused({ status, chargeId }: CheckoutRow): boolean {
  return status === 'failed' && chargeId === undefined;
}

/**
 * The settle of a charge that was asked for with it, where the service says that it is not through with
 * it: it is followed as one that was asked for by itself, and may fail yet.
 */
function pendingSettle(
  ctx: CheckoutContext,
  { environment, merchantOrderId, amount }: CheckoutRow,
  { id, merchantTransactionId, createdAt, settle }: ChargeRequest,
  charge: Charge,
): PendingOperation | undefined {
  if (!settle || !isSettlePending(charge, merchantTransactionId)) return undefined;
  return {
    id: randomId('opr'),
    environment,
    chargeId: charge.id,
    merchantOrderId,
    kind: 'settle',
    amount,
    merchantTransactionId,
    // With spaces in it no request from outside can have this key.
    key: `settle with ${id}`,
    fingerprint: '',
    progressBefore: 0,
    sentAt: createdAt,
    ...followed(ctx),
  };
}

/**
 * A charge turned up for a checkout after another checkout took over its order: two charges for one
 * order. A person has to look at it; the checkout stays as it is and is not called approved.
 */
async function reportTwin(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId: string | undefined,
): Promise<CheckoutRow> {
  ctx.counters.increment('charge-doubled');
  ctx.logger.log('error', 'charge-doubled', {
    security: true,
    requestId,
    checkoutId: checkout.id,
    reason: 'order-taken',
  });
  // Once, unless this companion dies here: who looks again would tell it again.
  const { id, revision } = checkout;
  const set = { attentionAt: undefined };
  const change = await ctx.store.changeCheckout({ id, revision, now: ctx.clock.now(), set });
  return change.kind === 'changed' ? change.checkout : checkout;
}
