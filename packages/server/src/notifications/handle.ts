import { followApplication } from '../checkout/application.ts';
import { confirmCheckout } from '../checkout/confirmation.ts';
import type { CheckoutContext } from '../checkout/context.ts';
import { lookDelay } from '../checkout/waits.ts';
import { fewAtATime } from '../platform/few-at-a-time.ts';
import { ProblemError } from '../platform/problem.ts';
import type { NotificationRow } from '../store/notifications.ts';
import type { CheckoutRow } from '../store/store.ts';
import { CONFIRMED, isPostSale } from './receive.ts';

/** How often one is tried; with the delays between them that is four hours. */
const MAX_TRIES = 55;
/** The same for a checkout that is not here: a notification can be faster than prime's answer. */
const MAX_TRIES_UNKNOWN = 6;
/** How long one that was handled is remembered, in milliseconds, to know its repetitions. */
const KEPT_MS = 7 * 86_400_000;

/** One round over the notifications that are due. @returns how many there were */
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
 * Those that are due, each claimed when it is its turn: a lease would be over before the last of many
 * began, and who ends leaves the others to another companion at once.
 */
async function* claimed(
  { clock, environment, store, waits }: CheckoutContext,
  limit: number,
  ending: AbortSignal,
): AsyncGenerator<NotificationRow, void> {
  for (let count = 0; count < limit && !ending.aborted; count++) {
    const now = clock.now();
    const until = now + waits.leaseMs;
    const [notification] = await store.claimNotifications(environment, now, until, 1);
    if (notification === undefined) return;
    yield notification;
  }
}

async function handle(ctx: CheckoutContext, notification: NotificationRow): Promise<void> {
  const requestId = requestIdOf(notification);
  const checkout = await checkoutOf(ctx, notification);
  const outcome =
    checkout === undefined ? 'no-checkout' : await act(ctx, notification, checkout, requestId);
  const limit = checkout === undefined ? MAX_TRIES_UNKNOWN : MAX_TRIES;
  const waiting = outcome === 'no-checkout' || outcome === 'unreachable';
  const now = ctx.clock.now();
  if (waiting && notification.tries < limit) {
    const retryAt = now + lookDelay(ctx.waits, notification.tries - 1);
    await ctx.store.finishNotification(notification.id, { retryAt }, now);
    return;
  }
  // A shopper has confirmed and left, and there is no charge.
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

/** The same for each try: the attempt of a charge keeps it, and so tells whether it was made for this. */
function requestIdOf({ id }: NotificationRow): string {
  return `req_${id.slice(0, 32)}`;
}

/** The checkout it is about; of several with one application the one that can still go on. */
async function checkoutOf(
  ctx: CheckoutContext,
  { applicationId }: NotificationRow,
): Promise<CheckoutRow | undefined> {
  const found = await ctx.store.findCheckoutsOfApplication(ctx.environment, applicationId);
  return (
    found.find(({ chargeId, status }) => chargeId !== undefined || going.has(status)) ?? found[0]
  );
}
const going = new Set<CheckoutRow['status']>(['open', 'confirming', 'pending', 'unavailable']);

const notDone = new Set<ProblemError['code']>([
  'service-unavailable',
  'service-key-rejected',
  'overloaded',
]);

/**
 * Whether it is not known what became of the charge, or known that there is none, and nobody else has
 * the token: a shopper who is on the page is told, and confirms again or does not.
 */
async function isUnknownHere(
  ctx: CheckoutContext,
  { id, status }: CheckoutRow,
  requestId: string,
): Promise<boolean> {
  if (status !== 'confirming' && status !== 'unavailable') return false;
  const attempts = await ctx.store.findAttempts(id);
  return attempts.findLast(({ kind }) => kind === 'charge')?.requestId === requestId;
}

/**
 * Asks for attention to a checkout whose charge was moved at the service, by a person there for
 * example: the shop hears of the charge's state as it is then.
 */
async function lookAtCharge(ctx: CheckoutContext, checkout: CheckoutRow): Promise<string> {
  const { chargeId, id, revision, status } = checkout;
  // In any other status the charge is looked up or reversed already.
  if (chargeId === undefined || status !== 'approved') return status;
  const now = ctx.clock.now();
  const set = { attentionAt: now, attentionTries: 0 };
  const change = await ctx.store.changeCheckout({ id, revision, now, set });
  if (change.kind !== 'changed') return 'unreachable';
  ctx.changed();
  return status;
}

/** @returns a word for the log: how it ended, or `unreachable` when it has to be tried again */
async function act(
  ctx: CheckoutContext,
  { event, confirmationToken }: NotificationRow,
  checkout: CheckoutRow,
  requestId: string,
): Promise<string> {
  if (isPostSale(event)) return lookAtCharge(ctx, checkout);
  if (event !== CONFIRMED || confirmationToken === undefined) {
    const after = await followApplication(ctx, checkout, requestId);
    return after?.status ?? 'unreachable';
  }
  try {
    const after = await confirmCheckout(ctx, {
      checkoutId: checkout.id,
      confirmationToken,
      requestId,
      byService: true,
    });
    return (await isUnknownHere(ctx, after, requestId)) ? 'unreachable' : after.status;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    // Provably nothing was done: the shopper's order must still get its charge.
    return notDone.has(error.code) ? 'unreachable' : error.code;
  }
}
