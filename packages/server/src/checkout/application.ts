import type { Outcome } from '@financing-checkout/contract';
import { ProblemError } from '../platform/problem.ts';
import type { Application } from '../service/applications.ts';
import type { CheckoutRow } from '../store/store.ts';
import {
  applicationOf,
  isConfirmed,
  isOver,
  isPendingApplication,
  outcomeOfApplication,
  waitsForShopper,
} from './application-status.ts';
import { chargeRequest, MAX_SENT } from './charge-request.ts';
import { confirmCheckout } from './confirmation.ts';
import { type CheckoutContext, ownCheckout } from './context.ts';
import { endWithFound } from './find-charge.ts';
import { randomId } from '../platform/id.ts';
import { lookDelay } from './waits.ts';

/**
 * The shopper left: ends an open checkout with what the service knows of it. A checkout that is
 * being confirmed, or has ended, stays as it is.
 * @throws {ProblemError} `checkout-not-found`
 */
export async function cancelCheckout(
  ctx: CheckoutContext,
  checkoutId: string,
  requestId: string,
): Promise<CheckoutRow> {
  for (;;) {
    const before = await ownCheckout(ctx, checkoutId);
    if (before.status !== 'open') return before;
    const application = await applicationOf(ctx, before, requestId);
    const ended = await endApplication(ctx, before, application);
    // Undefined: a confirmation was faster while the service was asked. It wins.
    if (ended !== undefined) return ended;
  }
}

/**
 * Looks whether a pending checkout has ended without the shopper's browser, or waits for the shopper
 * again: a lender may take its time and then make offers. The shopper has not left it, so a state
 * that is not known leaves it pending.
 */
export async function followPending(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId?: string,
): Promise<CheckoutRow> {
  return (await follow(ctx, checkout, requestId)) ?? checkout;
}

async function follow(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId: string | undefined,
): Promise<CheckoutRow | undefined> {
  const { chargeId } = checkout;
  if (chargeId !== undefined) return judgeAgain(ctx, checkout, chargeId, requestId);
  const application = await applicationOf(ctx, checkout, requestId);
  if (application === undefined) return undefined;
  if (waitsForShopper(application)) return reopen(ctx, checkout);
  const isStale = checkout.orderChanged && isConfirmed(application);
  if (isOver(application) || isStale) {
    return (await endApplication(ctx, checkout, application)) ?? checkout;
  }
  return confirmFound(ctx, checkout, application, requestId);
}

/** A charge whose total has to be explained by the offer, which could not be read before. */
async function judgeAgain(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  chargeId: string,
  requestId: string | undefined,
): Promise<CheckoutRow | undefined> {
  const request = chargeRequest(ctx, await ctx.store.findAttempts(checkout.id));
  return request && endWithFound(ctx, checkout, request, chargeId, requestId);
}

/**
 * Confirms a checkout with the token that its application holds: the shopper confirmed an offer, and
 * their browser is gone. The page had its time to confirm before, since it alone knows whether the
 * order has changed. The hash of the token and the claim of the order keep it to one charge.
 */
async function confirmFound(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  application: Application,
  requestId: string = randomId('req'),
): Promise<CheckoutRow> {
  const { confirmationToken } = application;
  if (confirmationToken === undefined || isOver(application)) return checkout;
  const sent = await ctx.store.findAttempts(checkout.id);
  if (sent.filter(({ kind }) => kind === 'charge').length >= MAX_SENT) {
    return giveUp(ctx, checkout, requestId);
  }
  const checkoutId = checkout.id;
  try {
    return await confirmCheckout(ctx, {
      checkoutId,
      confirmationToken,
      requestId,
      byService: true,
    });
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { code } = error;
    ctx.logger.log('warn', 'application-not-confirmed', { requestId, checkoutId, code });
    const current = (await ctx.store.findCheckout(checkoutId)) ?? checkout;
    const isPaid = code === 'checkout-not-open' && (await hasOtherCharge(ctx, current));
    if (!isPaid || current.status !== 'pending') return current;
    return (await end(ctx, current, { outcome: 'cancelled', attentionAt: undefined })) ?? current;
  }
}

/** Whether the order was paid through another checkout. */
async function hasOtherCharge(
  { environment, store }: CheckoutContext,
  { id, merchantOrderId }: CheckoutRow,
): Promise<boolean> {
  const all = await store.findCheckoutsOfOrder(environment, merchantOrderId);
  return all.some((other) => other.id !== id && other.status === 'approved');
}

/** Leaves a checkout to a person: its shopper has a loan, and no charge could be created. */
async function giveUp(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId: string,
): Promise<CheckoutRow> {
  ctx.counters.increment('confirmation-given-up');
  ctx.logger.log('error', 'confirmation-given-up', { requestId, checkoutId: checkout.id });
  const { id, revision } = checkout;
  const set = { attentionAt: undefined };
  const change = await ctx.store.changeCheckout({ id, revision, now: ctx.clock.now(), set });
  return change.kind === 'changed' ? change.checkout : checkout;
}

/** The shopper can go on, for as long as a new checkout could be used. */
async function reopen(ctx: CheckoutContext, checkout: CheckoutRow): Promise<CheckoutRow> {
  const now = ctx.clock.now();
  const expiresAt = now + checkout.expiresAt - checkout.createdAt;
  const change = await ctx.store.changeCheckout({
    id: checkout.id,
    revision: checkout.revision,
    now,
    set: { status: 'open', expiresAt, attentionAt: expiresAt, attentionTries: 0 },
  });
  if (change.kind !== 'changed') return (await ctx.store.findCheckout(checkout.id)) ?? checkout;
  ctx.changed();
  return change.checkout;
}

/**
 * Looks at the application of a checkout because the service says that it has changed. What the
 * notification says does not count: the service is asked. An open checkout stays open while the
 * shopper can go on; one that waits for a lender goes on without the browser, and so does one whose
 * application holds the confirmation token, once the page had its time.
 * @returns undefined when the service could not be asked
 */
export async function followApplication(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId?: string,
): Promise<CheckoutRow | undefined> {
  if (checkout.applicationId === undefined) return checkout;
  if (checkout.status === 'pending') return follow(ctx, checkout, requestId);
  if (checkout.status !== 'open') return checkout;
  const application = await applicationOf(ctx, checkout, requestId);
  if (application === undefined) return undefined;
  const ends = isOver(application) || isPendingApplication(application);
  if (ends && application.confirmationToken === undefined) {
    const after = await endApplication(ctx, checkout, application);
    return after ?? ctx.store.findCheckout(checkout.id);
  }
  if (application.confirmationToken === undefined) return checkout;
  if (isOver(application)) {
    return (await endApplication(ctx, checkout, application)) ?? checkout;
  }
  const { attentionAt } = checkout;
  const soon = ctx.clock.now() + ctx.waits.pageFirstMs;
  if (attentionAt !== undefined && soon < attentionAt) {
    await ctx.store.claimAttention(checkout.id, attentionAt, soon, true);
  }
  return checkout;
}

/** Looks at an open checkout before its time is over: its application held a confirmation token. */
export async function followOpen(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId?: string,
): Promise<CheckoutRow> {
  const application = await applicationOf(ctx, checkout, requestId);
  if (application === undefined) return checkout;
  if (isConfirmed(application) && !checkout.orderChanged) {
    const after = await confirmFound(ctx, checkout, application, requestId);
    if (after.status !== 'open') return after;
  }
  const { attentionAt, expiresAt } = checkout;
  if (attentionAt !== undefined) {
    await ctx.store.claimAttention(checkout.id, attentionAt, expiresAt, true);
  }
  return checkout;
}

/**
 * Ends an open checkout whose time is over. Where the shopper has confirmed an offer, or a lender is
 * still deciding, it goes on without the browser.
 */
export async function expireCheckout(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId?: string,
): Promise<CheckoutRow> {
  const application = await applicationOf(ctx, checkout, requestId);
  const isGoingOn =
    application !== undefined &&
    outcomeOfApplication(application) === 'pending' &&
    !checkout.orderChanged;
  const looksAgain = application === undefined || waitsForShopper(application);
  const after = isGoingOn
    ? await endApplication(ctx, checkout, application)
    : await end(ctx, checkout, {
        outcome: 'expired',
        attentionAt: looksAgain ? ctx.clock.now() + ctx.waits.longestLookMs : undefined,
        attentionTries: 0,
      });
  return after ?? (await ctx.store.findCheckout(checkout.id)) ?? checkout;
}

/** How often an expired checkout is looked at: the shopper may confirm in the last moment. */
const EXPIRED_LOOKS = 3;

/** Looks whether the shopper has confirmed an offer of a checkout that expired here. */
export async function followExpired(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId?: string,
): Promise<CheckoutRow> {
  const application = await applicationOf(ctx, checkout, requestId);
  if (application !== undefined && isConfirmed(application) && !checkout.orderChanged) {
    const after = await confirmFound(ctx, checkout, application, requestId);
    if (after.status !== 'expired') return after;
  }
  const isGoingOn =
    application === undefined ||
    waitsForShopper(application) ||
    isConfirmed(application) ||
    isPendingApplication(application);
  if (isGoingOn && checkout.attentionTries < EXPIRED_LOOKS) {
    const attentionAt = ctx.clock.now() + ctx.waits.longestLookMs * checkout.attentionTries;
    return (await end(ctx, checkout, { outcome: 'expired', attentionAt })) ?? checkout;
  }
  return (await end(ctx, checkout, { outcome: 'expired', attentionAt: undefined })) ?? checkout;
}

/**
 * Ends a checkout without a charge with what its application says.
 * @param application undefined when the service did not answer: the shopper left all the same
 */
function endApplication(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  application: Application | undefined,
): Promise<CheckoutRow | undefined> {
  if (application === undefined) {
    return end(ctx, checkout, { outcome: 'cancelled', attentionAt: undefined });
  }
  // The page refused to pay for the confirmed order.
  const isStale = checkout.orderChanged && isConfirmed(application);
  const outcome = isStale ? 'cancelled' : outcomeOfApplication(application);
  if (outcome !== 'pending') return end(ctx, checkout, { outcome, attentionAt: undefined });
  // It goes on without the browser: it is followed, and finished once the page had its time.
  const wait = isConfirmed(application) ? ctx.waits.pageFirstMs : lookDelay(ctx.waits, 4);
  const attentionAt = ctx.clock.now() + wait;
  return end(ctx, checkout, { outcome, attentionAt, attentionTries: 4 });
}

async function end(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  {
    outcome,
    ...attention
  }: { outcome: Outcome; attentionAt: number | undefined; attentionTries?: number },
): Promise<CheckoutRow | undefined> {
  const change = await ctx.store.changeCheckout({
    id: checkout.id,
    revision: checkout.revision,
    now: ctx.clock.now(),
    set: { status: outcome, retrySafe: undefined, ...attention },
  });
  if (change.kind !== 'changed') return undefined;
  ctx.changed();
  return change.checkout;
}
