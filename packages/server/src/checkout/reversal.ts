import { leftToRefund, tryBalance } from '../charges/balance.ts';
import { operateOnCharge } from '../charges/operation.ts';
import { ProblemError } from '../problem/problem.ts';
import type { Charge } from '../service/charges.ts';
import type { CheckoutChange, CheckoutRow } from '../store/store.ts';
import type { CheckoutContext } from './context.ts';
import { lookDelay } from './waits.ts';

/**
 * Gives the money of a failed checkout's charge back: refunds what is settled, else voids it. Goes
 * through the same operations as the back office, so that both take turns and neither does it
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
  if (before.kind !== 'accepted') return tryAgain(ctx, checkout);
  if (isReversed(before.body, checkout)) return finish(ctx, checkout, before.body.state);

  const problem = await giveBack(ctx, checkout, before.body, requestId);
  if (problem === undefined) {
    const after = await ctx.service.charge(chargeId, requestId);
    const reversed = after.kind === 'accepted' && isReversed(after.body, checkout);
    return reversed ? finish(ctx, checkout, after.body.state) : tryAgain(ctx, checkout);
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

/** Whether nothing is left of it that the shopper would pay. */
function isReversed(charge: Charge, { amount }: CheckoutRow): boolean {
  if (charge.state === 'Voided') return true;
  const balance = tryBalance(charge, amount.currency);
  return balance !== undefined && balance.settled > 0 && balance.settled <= balance.refunded;
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

function tryAgain(ctx: CheckoutContext, checkout: CheckoutRow): Promise<CheckoutRow> {
  const attentionAt = ctx.clock.now() + lookDelay(ctx.waits, checkout.attentionTries);
  return write(ctx, checkout, { attentionAt });
}

async function write(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  set: { chargeState?: string; attentionAt: number | undefined },
  more: Pick<CheckoutChange, 'order' | 'attentionSeen'> = {},
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

/** Takes over what the service says of the charge of an approved checkout: the shop hears of it. */
export async function refreshCharge(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId?: string,
): Promise<CheckoutRow> {
  if (checkout.chargeId === undefined) return checkout;
  const charge = await ctx.service.charge(checkout.chargeId, requestId);
  if (charge.kind !== 'accepted') return tryAgain(ctx, checkout);
  const set = { chargeState: charge.body.state, attentionAt: undefined };
  // What was done to it meanwhile asks for attention of its own: that look is still to come.
  return write(ctx, checkout, set, { attentionSeen: checkout.attentionAt });
}
