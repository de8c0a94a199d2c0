import { leftToRefund, tryBalance } from '../charges/balance.ts';
import { operateOnCharge } from '../charges/operation.ts';
import { ProblemError } from '../platform/problem.ts';
import type { Charge } from '../service/charges.ts';
import { isNotFound } from '../service/result.ts';
import type { CheckoutChange, CheckoutRow } from '../store/store.ts';
import { chargeRequest } from './charge-request.ts';
import type { CheckoutContext } from './context.ts';
import { isGivenBack } from './judgement.ts';
import { isPastGrace, lookDelay } from './waits.ts';

/**
 * Gives the money of a failed checkout's charge back: refunds a settled amount, else voids it. It uses
 * the same operations as the back office, so that both take turns and neither does it
 * twice; what cannot be done now is done at the checkout's next time of attention.
 */
export async function reverseCharge(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId?: string,
): Promise<CheckoutRow> {
  const { chargeId } = checkout;
  if (chargeId === undefined) return checkout;
  const before = await ctx.service.charge(chargeId, requestId);
  if (isNotFound(before)) return endUnknown(ctx, checkout, requestId);
  if (before.kind !== 'accepted') return tryAgain(ctx, checkout);
  if (isGivenBack(before.body, checkout.amount.currency))
    return finish(ctx, checkout, before.body.state);

  const problem = await giveBack(ctx, checkout, before.body, requestId);
  if (problem === undefined) {
    const after = await ctx.service.charge(chargeId, requestId);
    const isDone = after.kind === 'accepted' && isGivenBack(after.body, checkout.amount.currency);
    return isDone ? finish(ctx, checkout, after.body.state) : tryAgain(ctx, checkout);
  }
  // What the service said no to, it says no to again: a person has to look at it.
  const final = refused.has(problem.code);
  ctx.logger.log(final ? 'error' : 'warn', 'charge-not-reversed', {
    security: true,
    requestId,
    checkoutId: checkout.id,
    outcome: final ? 'given-up' : 'later',
    code: problem.code,
  });
  return final ? giveUp(ctx, checkout) : tryAgain(ctx, checkout);
}

const refused = new Set<ProblemError['code']>([
  'service-rejected',
  'charge-not-permitted',
  'charge-not-found',
]);

async function giveBack(
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
      ...(kind === 'refund' ? { amount } : {}),
      // With spaces in it no request from outside can have this key.
      key: `reversal of ${checkout.id}: ${kind} after ${balance?.refunded ?? 0}`,
      requestId,
    });
    return undefined;
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
}

/** How often a charge that the service does not know is asked for. */
const MAX_LOOKS = 12;

/**
 * The service does not know a charge that it answered with before. The order is free again where,
 * past the grace, the service has no transaction of ours either; where that cannot be said, a person
 * has to look at it.
 */
async function endUnknown(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId: string | undefined,
): Promise<CheckoutRow> {
  const request = chargeRequest(ctx, await ctx.store.findAttempts(checkout.id));
  const isPast = request !== undefined && isPastGrace(ctx, request.createdAt);
  const isAbsent =
    isPast && isNotFound(await ctx.service.transaction(request.merchantTransactionId, requestId));
  if (!isAbsent && checkout.attentionTries < MAX_LOOKS) return tryAgain(ctx, checkout);
  ctx.logger.log('error', 'charge-not-reversed', {
    security: true,
    requestId,
    checkoutId: checkout.id,
    outcome: 'given-up',
    code: 'charge-not-found',
  });
  return isAbsent
    ? write(ctx, checkout, { attentionAt: undefined }, { order: 'release' })
    : giveUp(ctx, checkout);
}

async function finish(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  chargeState: string,
): Promise<CheckoutRow> {
  return write(ctx, checkout, { chargeState, attentionAt: undefined }, { order: 'release' });
}

function giveUp(ctx: CheckoutContext, checkout: CheckoutRow): Promise<CheckoutRow> {
  return write(ctx, checkout, { attentionAt: undefined });
}

/** Leaves the rest to the checkout's next time of attention. */
export function tryAgain(ctx: CheckoutContext, checkout: CheckoutRow): Promise<CheckoutRow> {
  const attentionAt = ctx.clock.now() + lookDelay(ctx.waits, checkout.attentionTries);
  return write(ctx, checkout, { attentionAt });
}

/** Writes how the charge of a checkout stands, and when to look at it next. */
export async function write(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  set: Pick<CheckoutChange['set'], 'chargeState' | 'refundedAmount' | 'attentionAt'>,
  more: Pick<CheckoutChange, 'order' | 'attentionSeen' | 'ledger'> = {},
): Promise<CheckoutRow> {
  const change = await ctx.store.changeCheckout({
    id: checkout.id,
    revision: checkout.revision,
    now: ctx.clock.now(),
    set,
    ...more,
  });
  if (change.kind !== 'changed') return (await ctx.store.findCheckout(checkout.id)) ?? checkout;
  ctx.changed();
  return change.checkout;
}
