import type { AmountDifference } from '@financing-checkout/contract';
import { followed } from '../charges/follow.ts';
import { chargeEntries } from '../ledger/entries.ts';
import { ProblemError } from '../platform/problem.ts';
import { type Charge, chargedAmount, settleProgress } from '../service/charges.ts';
import type { PendingOperation } from '../store/pending-operations.ts';
import type { CheckoutRow } from '../store/store.ts';
import type { ChargeRequest } from './charge-request.ts';
import type { CheckoutContext } from './context.ts';
import { randomId } from '../platform/id.ts';
import { judgeCharge } from './judgement.ts';
import { reverseCharge } from './reversal.ts';

/**
 * Ends a checkout whose charge exists: approved when it is the primed money for the primed order and
 * the shopper still owes it, else failed, and the charge is given back. Without
 * that, the token of a cheap order would pay for a dear one.
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
    if (!isUndecided(checkout, charge)) return checkout;
    const judgement = await judgeCharge(ctx, checkout, charge, ids.requestId);
    // Written down before: nothing has changed.
    if (judgement.kind === 'unread' && checkout.status === 'pending') return checkout;
    const charged = judgement.kind === 'ours' ? judgement.charged : undefined;
    const now = ctx.clock.now();
    const facts = { retrySafe: undefined, chargeId: charge.id, chargeState: stateOf(charge) };
    const common = {
      id: checkoutId,
      revision: checkout.revision,
      now,
      updateAttempt: {
        id: request.id,
        state: 'accepted' as const,
        serviceRequestId: ids.serviceRequestId,
      },
      ledger: chargeEntries(checkout, request, 'accepted', charge, charged),
    };

    if (judgement.kind === 'ours' || judgement.kind === 'unread') {
      const result = await ctx.store.changeCheckout({
        ...common,
        set: { ...facts, ...taken(ctx, request, charge, { now, charged, kind: judgement.kind }) },
        order: 'claim',
        insertPending:
          judgement.kind === 'ours' ? pendingSettle(ctx, checkout, request, charge) : undefined,
      });
      if (result.kind === 'stale') continue;
      if (result.kind === 'order-taken') return reportTwin(ctx, checkout, ids.requestId);
      ctx.changed();
      return result.checkout;
    }
    const isGivenBack = judgement.kind === 'given-back';
    if (judgement.kind === 'mismatch' && !isAlarmRaised) {
      // Before it is written down: the process that looks next, if this one dies, finds it failed.
      isAlarmRaised = true;
      ctx.counters.increment('charge-mismatch');
      ctx.logger.log('error', 'charge-mismatch', {
        security: true,
        requestId: ids.requestId,
        serviceRequestId: ids.serviceRequestId,
        checkoutId,
        reason: judgement.reason,
      });
    }
    // Failed. While the stray charge may exist, the order must not get a second one. If this process
    // dies here, the checkout is due when its lease ends.
    const result = await ctx.store.changeCheckout({
      ...common,
      set: {
        ...facts,
        status: 'failed',
        attentionAt: isGivenBack ? undefined : now + ctx.waits.leaseMs,
        attentionTries: 0,
      },
      order: isGivenBack ? 'release' : undefined,
    });
    if (result.kind !== 'changed') continue;
    ctx.changed();
    if (isGivenBack) return result.checkout;
    return reverseCharge(ctx, result.checkout, ids.requestId);
  }
}

/**
 * Whether a charge can still decide a checkout. What the service says of the charge is the truth,
 * also after it was thought absent, or refused.
 */
function isUndecided(checkout: CheckoutRow, charge: Charge): boolean {
  const { status, chargeId } = checkout;
  if (status === 'pending') return chargeId === charge.id;
  return status === 'confirming' || status === 'unavailable' || isRefused(checkout);
}

/**
 * The state of a charge as the shop hears it. The answer to the creation of a charge says
 * `Authorized`, and states apart that the settle of all of it is done.
 */
function stateOf({ state, settleTransactionState }: Charge): string {
  const isSettled = state === 'Authorized' && settleTransactionState === 'Completed';
  return isSettled ? 'Settled' : state;
}

/** Returns the fields of a checkout whose charge is its own, or is once its offer can be read. */
function taken(
  ctx: CheckoutContext,
  request: ChargeRequest,
  charge: Charge,
  {
    kind,
    now,
    charged,
  }: { kind: 'ours' | 'unread'; now: number; charged: AmountDifference | undefined },
) {
  // A settle that may come yet, or may have failed, is looked at until it shows.
  const isSettleUnknown = request.settle && settleProgress(charge) === 'unknown';
  const isLookedAt = kind === 'unread' || isSettleUnknown;
  return {
    status: kind === 'ours' ? ('approved' as const) : ('pending' as const),
    charged,
    attentionAt: isLookedAt ? now + ctx.waits.firstLookMs : undefined,
    attentionTries: 0,
  };
}

/**
 * Returns whether a checkout ended because its charge was refused. The service knew no such charge
 * then; it may have made it all the same, and show it later.
 */
export function isRefused({ status, chargeId }: CheckoutRow): boolean {
  return status === 'failed' && chargeId === undefined;
}

/**
 * The settle that was requested with a charge, where the service has accepted it and not completed
 * it: it is followed as one that was requested by itself, and may fail yet.
 */
function pendingSettle(
  ctx: CheckoutContext,
  { environment, merchantOrderId, amount }: CheckoutRow,
  { id, merchantTransactionId, createdAt, settle }: ChargeRequest,
  charge: Charge,
): PendingOperation | undefined {
  if (!settle || settleProgress(charge) !== 'pending') return undefined;
  return {
    id: randomId('opr'),
    environment,
    chargeId: charge.id,
    merchantOrderId,
    kind: 'settle',
    amount: chargedAmount(charge, amount.currency) ?? amount,
    merchantTransactionId,
    // With spaces in it no request from outside can have this key.
    key: `settle with ${id}`,
    fingerprint: '',
    progressBefore: 0,
    lenderReferenceId: charge.lenderSettleReferenceId,
    sentAt: createdAt,
    ...followed(ctx),
  };
}

/**
 * A charge shows for a checkout after another checkout took over its order: two charges for one
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
  // Once, unless this process dies here: the next look would report it again.
  const { id, revision } = checkout;
  const set = { attentionAt: undefined };
  const change = await ctx.store.changeCheckout({ id, revision, now: ctx.clock.now(), set });
  return change.kind === 'changed' ? change.checkout : checkout;
}
