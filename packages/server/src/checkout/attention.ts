import { fewAtATime } from '../platform/few-at-a-time.ts';
import type { CheckoutRow } from '../store/store.ts';
import { expireCheckout, followExpired, followOpen, followPending } from './application.ts';
import { isRefused } from './charge.ts';
import { type CheckoutContext, ownCheckout } from './context.ts';
import { CHECKED_MS, lookDelay, rareLook, unlessAnswered } from './waits.ts';
import { lookForLateCharge, lookUpCharge } from './lookup.ts';
import { refreshCharge } from './refresh.ts';
import { reverseCharge } from './reversal.ts';

/**
 * A checkout as it is now: an open one past its time expires, an unknown charge is looked up, when
 * that is due.
 * @throws {ProblemError} `checkout-not-found`
 */
export async function readCheckout(
  ctx: CheckoutContext,
  checkoutId: string,
  requestId?: string,
): Promise<CheckoutRow> {
  const checkout = await ownCheckout(ctx, checkoutId);
  return attend(ctx, checkout, requestId);
}

/** Does what a checkout waits for, if it is due and no other companion is at it. */
async function attend(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId?: string,
): Promise<CheckoutRow> {
  const now = ctx.clock.now();
  const due = checkout.attentionAt;
  if (due === undefined || due > now) return checkout;
  // Said, or proved, to have no charge.
  const isWithout =
    isRefused(checkout) || (checkout.status === 'unavailable' && checkout.retrySafe === true);
  const rare = isWithout ? rareLook(ctx, checkout.updatedAt, CHECKED_MS) : undefined;
  const until = isWithout
    ? unlessAnswered(ctx, checkout.attentionTries, rare)
    : now + lookDelay(ctx.waits, checkout.attentionTries);
  if (!(await ctx.store.claimAttention(checkout.id, due, until))) {
    return (await ctx.store.findCheckout(checkout.id)) ?? checkout;
  }
  const claimed = {
    ...checkout,
    attentionAt: until,
    attentionTries: checkout.attentionTries + 1,
  };
  const madeFor = requestId ?? (await lastRequest(ctx, checkout.id));
  if (isWithout) {
    const looked = await lookForLateCharge(ctx, claimed, madeFor);
    if (looked !== undefined && until !== undefined) {
      await ctx.store.claimAttention(checkout.id, until, rare, true);
    }
    return looked ?? claimed;
  }
  switch (checkout.status) {
    case 'confirming':
    case 'unavailable':
      return lookUpCharge(ctx, claimed, madeFor);
    case 'pending':
      return followPending(ctx, claimed, madeFor);
    case 'failed':
      return reverseCharge(ctx, claimed, madeFor);
    case 'approved':
      return refreshCharge(ctx, claimed, madeFor);
    case 'open':
      return now < checkout.expiresAt
        ? followOpen(ctx, claimed, madeFor)
        : expireCheckout(ctx, claimed, madeFor);
    case 'expired':
      return followExpired(ctx, claimed, madeFor);
    case 'declined':
    case 'cancelled':
      return claimed;
  }
}

/** What is done unasked is done for the last request that changed something at the service: its id is in the log. */
async function lastRequest(ctx: CheckoutContext, checkoutId: string): Promise<string | undefined> {
  return (await ctx.store.findAttempts(checkoutId)).at(-1)?.requestId;
}

/** One round over everything that is due. @returns how many checkouts were looked at */
export async function attendDueCheckouts(
  ctx: CheckoutContext,
  limit: number,
  ending: AbortSignal,
): Promise<number> {
  const due = await ctx.store.dueCheckouts(ctx.environment, ctx.clock.now(), limit);
  await fewAtATime(due.values(), async (id) => {
    if (ending.aborted) return;
    const checkout = await ctx.store.findCheckout(id);
    if (checkout !== undefined) await attend(ctx, checkout);
  });
  return due.length;
}
