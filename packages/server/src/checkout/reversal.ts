import { isReturned, leftToRefund, tryBalance } from '../charges/balance.ts';
import { operateOnCharge } from '../charges/operation.ts';
import { ProblemError } from '../platform/problem.ts';
import type { Charge } from '../service/charges.ts';
import { isNotFound } from '../service/result.ts';
import { isPastGrace } from '../service/timing.ts';
import type { CheckoutRow } from '../store/store.ts';
import { lastChargeRequest } from './charge-request.ts';
import { changeCheckout, pollLater, stopPolling } from './checkout.ts';
import type { CheckoutContext } from './context.ts';

/** Problems after which the service would refuse the reversal again, so manual action is needed. */
const finalProblems = new Set<ProblemError['code']>([
  'service-rejected',
  'charge-not-permitted',
  'charge-not-found',
]);

/**
 * Reverses the charge of a failed checkout: refunds a settled amount, or voids the charge. The
 * reversal uses the back office's operations, so the two are serialized and the money is never
 * moved twice. If the reversal is not possible now, the next poll tries again.
 */
export async function reverseCharge(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId?: string,
): Promise<CheckoutRow> {
  const { chargeId } = checkout;
  const { currency } = checkout.amount;
  if (chargeId === undefined) return checkout;
  const before = await ctx.service.charge(chargeId, { priority: 'charge', requestId });
  if (isNotFound(before)) return endMissing(ctx, checkout, requestId);
  if (before.kind !== 'accepted') return pollLater(ctx, checkout);
  if (isReturned(before.body, currency)) return finish(ctx, checkout, before.body.state);

  const problem = await returnMoney(ctx, checkout, before.body, requestId);
  if (problem === undefined) {
    const after = await ctx.service.charge(chargeId, { priority: 'charge', requestId });
    const isDone = after.kind === 'accepted' && isReturned(after.body, currency);
    return isDone ? finish(ctx, checkout, after.body.state) : pollLater(ctx, checkout);
  }
  const isFinal = finalProblems.has(problem.code);
  ctx.logger.log(isFinal ? 'error' : 'warn', 'charge-not-reversed', {
    security: true,
    requestId,
    checkoutId: checkout.id,
    outcome: isFinal ? 'given-up' : 'later',
    code: problem.code,
  });
  return isFinal ? stopPolling(ctx, checkout) : pollLater(ctx, checkout);
}

async function returnMoney(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  charge: Charge,
  requestId: string | undefined,
): Promise<ProblemError | undefined> {
  const balance = tryBalance(charge, checkout.amount.currency);
  const amount = balance === undefined ? 0 : leftToRefund(balance);
  const kind = amount > 0 ? 'refund' : 'void';
  try {
    await operateOnCharge(ctx, {
      kind,
      chargeId: charge.id,
      amount: kind === 'refund' ? amount : undefined,
      // The spaces prevent collisions with client keys.
      key: `reversal of ${checkout.id}: ${kind} after ${balance?.refunded ?? 0}`,
      requestId,
    });
    return undefined;
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
}

/** Maximum number of lookups of a charge that the service does not know. */
const MAX_POLLS = 12;

/**
 * Handles a charge that the service returned earlier and no longer knows. The order is released if,
 * after the grace period, the service has no transaction with our id either. If the service has
 * such a transaction, manual action is needed.
 */
async function endMissing(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId: string | undefined,
): Promise<CheckoutRow> {
  const request = await lastChargeRequest(ctx, checkout.id);
  const isPast = request !== undefined && isPastGrace(ctx, request.createdAt);
  const isAbsent =
    isPast &&
    isNotFound(
      await ctx.service.transaction(request.merchantTransactionId, {
        priority: 'charge',
        requestId,
      }),
    );
  if (!isAbsent && checkout.attentionTries < MAX_POLLS) return pollLater(ctx, checkout);
  ctx.logger.log('error', 'charge-not-reversed', {
    security: true,
    requestId,
    checkoutId: checkout.id,
    outcome: 'given-up',
    code: 'charge-not-found',
  });
  return isAbsent
    ? changeCheckout(ctx, checkout, { set: { attentionAt: undefined }, order: 'release' })
    : stopPolling(ctx, checkout);
}

function finish(ctx: CheckoutContext, checkout: CheckoutRow, chargeState: string) {
  return changeCheckout(ctx, checkout, {
    set: { chargeState, attentionAt: undefined },
    order: 'release',
  });
}
