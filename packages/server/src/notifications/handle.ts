import { pollNotified } from '../checkout/lifecycle.ts';
import { confirmCheckout } from '../checkout/confirmation.ts';
import type { CheckoutContext } from '../checkout/context.ts';
import { reportSecondConfirmation } from '../checkout/poller.ts';
import { fewAtATime } from '../platform/few-at-a-time.ts';
import { ProblemError } from '../platform/problem.ts';
import { pollDelay } from '../service/timing.ts';
import type { CheckoutRow, NotificationRow } from '../store/store.ts';
import { CONFIRMED, isPostSale } from './receive.ts';

/** Maximum number of attempts per notification: four hours in total, including the delays. */
const MAX_TRIES = 55;
/**
 * Maximum number of attempts without a checkout: a notification can arrive before the prime
 * response.
 */
const MAX_TRIES_UNKNOWN = 6;
/** How long a handled notification is kept to detect duplicates, in milliseconds. */
const KEPT_MS = 7 * 86_400_000;

/** Handles the due notifications once. @returns the number of due notifications */
export async function handleDueNotifications(
  ctx: CheckoutContext,
  limit: number,
  ending: AbortSignal,
): Promise<number> {
  let count = 0;
  await fewAtATime(claimed(ctx, limit, ending), async (notification) => {
    count += 1;
    await handle(ctx, notification);
  });
  if (count > 0) await ctx.store.pruneNotifications(ctx.clock.now() - KEPT_MS);
  return count;
}

/**
 * Yields due notifications, and claims each one only just before it is handled: a lease on all of
 * them would expire before the last one, and a stopping companion would block the rest for other
 * replicas.
 */
async function* claimed(
  { clock, environment, store, timing }: CheckoutContext,
  limit: number,
  ending: AbortSignal,
): AsyncGenerator<NotificationRow, void> {
  for (let count = 0; count < limit && !ending.aborted; count++) {
    const now = clock.now();
    const until = now + timing.leaseMs;
    const [notification] = await store.claimNotifications(environment, now, until, 1);
    if (notification === undefined) return;
    yield notification;
  }
}

async function handle(ctx: CheckoutContext, notification: NotificationRow): Promise<void> {
  const requestId = requestIdOf(notification);
  const checkout = await checkoutOf(ctx, notification);
  const outcome =
    checkout === undefined
      ? await outcomeWithoutCheckout(ctx, notification)
      : await act(ctx, notification, checkout, requestId);
  const limit = checkout === undefined ? MAX_TRIES_UNKNOWN : MAX_TRIES;
  const waiting = outcome === 'no-checkout' || outcome === 'unreachable';
  const now = ctx.clock.now();
  if (waiting && notification.tries < limit) {
    const retryAt = now + pollDelay(ctx.timing, notification.tries - 1);
    await ctx.store.finishNotification(notification.id, { retryAt }, now);
    return;
  }
  // The shopper confirmed and left without a charge.
  if (outcome === 'unreachable' && notification.event === CONFIRMED) {
    ctx.counters.increment('confirmation-given-up');
  }
  await ctx.store.finishNotification(notification.id, { outcome }, now);
  ctx.logger.log(waiting ? 'error' : 'info', 'notification', {
    requestId,
    checkoutId: checkout?.id,
    outcome,
    tries: notification.tries,
  });
}

/** A page reads its prequalification itself; only a confirmation needs a checkout. */
async function outcomeWithoutCheckout(
  { environment, store }: CheckoutContext,
  { applicationId, event }: NotificationRow,
): Promise<string> {
  const isRead =
    event !== CONFIRMED && (await store.hasPrequalification(environment, applicationId));
  return isRead ? 'prequalification' : 'no-checkout';
}

/**
 * Returns the same id for each attempt. The attempt to create a charge stores this id, which shows
 * that this notification caused it.
 */
function requestIdOf({ id }: NotificationRow): string {
  return `req_${id.slice(0, 32)}`;
}

/**
 * Returns the notification's checkout. If several checkouts share the application, returns the one
 * that can continue.
 */
async function checkoutOf(
  ctx: CheckoutContext,
  { applicationId, checkoutId }: NotificationRow,
): Promise<CheckoutRow | undefined> {
  if (checkoutId !== undefined) return ctx.store.findCheckout(checkoutId);
  const found = await ctx.store.findCheckoutsOfApplication(ctx.environment, applicationId);
  return (
    found.find(({ chargeId, status }) => chargeId !== undefined || unfinished.has(status)) ??
    found[0]
  );
}
const unfinished = new Set<CheckoutRow['status']>(['open', 'confirming', 'pending', 'unavailable']);

const notDone = new Set<ProblemError['code']>([
  'service-unavailable',
  'service-key-rejected',
  'overloaded',
]);

/**
 * Returns whether the charge of this notification does not exist or has no known outcome, and only
 * this notification has the token. A shopper who is on the page sees the outcome and can confirm
 * again.
 */
async function isUnresolved(
  ctx: CheckoutContext,
  { id, status }: CheckoutRow,
  requestId: string,
): Promise<boolean> {
  if (status !== 'confirming' && status !== 'unavailable') return false;
  const attempts = await ctx.store.findAttempts(id);
  return attempts.findLast(({ kind }) => kind === 'charge')?.requestId === requestId;
}

/**
 * Schedules a poll of a checkout whose charge was changed at the service, for example manually. The
 * shop is then notified of the charge's new state.
 */
async function scheduleLook(ctx: CheckoutContext, checkout: CheckoutRow): Promise<string> {
  const { chargeId, id, revision, status } = checkout;
  // In every other status, the charge is already being looked up or reversed.
  if (chargeId === undefined || status !== 'approved') return status;
  const now = ctx.clock.now();
  const set = { attentionAt: now, attentionTries: 0 };
  const change = await ctx.store.changeCheckout({ id, revision, now, set });
  if (change.kind !== 'changed') return 'unreachable';
  ctx.changed();
  return status;
}

/** @returns the outcome for the log, or `unreachable` if it must be retried */
async function act(
  ctx: CheckoutContext,
  { applicationId, event, confirmationToken }: NotificationRow,
  checkout: CheckoutRow,
  requestId: string,
): Promise<string> {
  if (isPostSale(event)) return scheduleLook(ctx, checkout);
  if (event !== CONFIRMED || confirmationToken === undefined) {
    const after = await pollNotified(ctx, checkout, requestId);
    return after?.status ?? 'unreachable';
  }
  try {
    const input = { checkoutId: checkout.id, confirmationToken, requestId, byService: true };
    const after = await confirmCheckout(ctx, input);
    return (await isUnresolved(ctx, after, requestId)) ? 'unreachable' : after.status;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    if (error.code === 'checkout-not-open' && checkout.via === 'link') {
      const current = (await ctx.store.findCheckout(checkout.id)) ?? checkout;
      const confirmed = { applicationId, confirmationToken };
      await reportSecondConfirmation(ctx, current, confirmed, requestId);
    }
    // Provably nothing was done, so retry: the order must still be charged.
    return notDone.has(error.code) ? 'unreachable' : error.code;
  }
}
