import { fewAtATime } from '../platform/few-at-a-time.ts';
import { nextPollUnanswered, nextRarePoll, pollDelay, RECHECKED_MS } from '../service/timing.ts';
import type { CheckoutRow } from '../store/store.ts';
import { expireCheckout, pollExpired, pollOpen, pollPending } from './application.ts';
import { isRefused } from './charge-outcome.ts';
import { refreshCharge } from './charge-refresh.ts';
import { findCheckout } from './checkout.ts';
import type { CheckoutContext } from './context.ts';
import { pollLinkIfDue } from './link-following.ts';
import { reverseCharge } from './reversal.ts';
import { pollLateCharge, pollUnknownCharge } from './unknown-charge.ts';

/**
 * Returns the current checkout, after the work that is due on it.
 * @throws {ProblemError} `checkout-not-found`
 */
export async function readCheckout(
  ctx: CheckoutContext,
  checkoutId: string,
  requestId?: string,
): Promise<CheckoutRow> {
  const checkout = await findCheckout(ctx, checkoutId);
  if (checkout.via === 'link') await pollLinkIfDue(ctx, checkoutId, requestId);
  const current = checkout.via === 'link' ? await findCheckout(ctx, checkoutId) : checkout;
  return pollIfDue(ctx, current, requestId);
}

/** Does the work that is due on a checkout, unless another companion has claimed it. */
async function pollIfDue(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId?: string,
): Promise<CheckoutRow> {
  const now = ctx.clock.now();
  const due = checkout.attentionAt;
  if (due === undefined || due > now) return checkout;
  // The charge was refused or proved absent.
  const hasNoCharge =
    isRefused(checkout) || (checkout.status === 'unavailable' && checkout.retrySafe === true);
  const rarePoll = hasNoCharge ? nextRarePoll(ctx, checkout.updatedAt, RECHECKED_MS) : undefined;
  const until = hasNoCharge
    ? nextPollUnanswered(ctx, checkout.attentionTries, rarePoll)
    : now + pollDelay(ctx.timing, checkout.attentionTries);
  if (!(await ctx.store.claimAttention(checkout.id, due, until))) {
    return (await ctx.store.findCheckout(checkout.id)) ?? checkout;
  }
  const claimed = {
    ...checkout,
    attentionAt: until,
    attentionTries: checkout.attentionTries + 1,
  };
  // Background work is logged with the last request that changed something at the service.
  const cause = requestId ?? (await ctx.store.findAttempts(checkout.id)).at(-1)?.requestId;
  if (hasNoCharge) {
    const polled = await pollLateCharge(ctx, claimed, cause);
    if (polled !== undefined && until !== undefined) {
      await ctx.store.claimAttention(checkout.id, until, rarePoll, true);
    }
    return polled ?? claimed;
  }
  switch (checkout.status) {
    case 'confirming':
    case 'unavailable':
      return pollUnknownCharge(ctx, claimed, cause);
    case 'pending':
      return pollPending(ctx, claimed, cause);
    case 'failed':
      return reverseCharge(ctx, claimed, cause);
    case 'approved':
      return refreshCharge(ctx, claimed, cause);
    case 'open':
      return now < checkout.expiresAt
        ? pollOpen(ctx, claimed, cause)
        : expireCheckout(ctx, claimed, cause);
    case 'expired':
      return pollExpired(ctx, claimed, cause);
    case 'declined':
    case 'cancelled':
      return claimed;
  }
}

/** Polls each checkout that is due. @returns the number of due checkouts */
export async function pollDueCheckouts(
  ctx: CheckoutContext,
  limit: number,
  ending: AbortSignal,
): Promise<number> {
  const due = await ctx.store.dueCheckouts(ctx.environment, ctx.clock.now(), limit);
  await fewAtATime(due.values(), async (id) => {
    if (ending.aborted) return;
    const checkout = await ctx.store.findCheckout(id);
    if (checkout !== undefined) await pollIfDue(ctx, checkout);
  });
  return due.length;
}
