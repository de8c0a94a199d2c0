import type { Outcome } from '@financing-checkout/contract/storefront';
import { raiseAlarm } from '../charges/context.ts';
import { randomId } from '../platform/id.ts';
import { ProblemError } from '../platform/problem.ts';
import {
  type Application,
  hasEnded,
  isConfirmed,
  isPending,
  waitsForShopper,
} from '../service/application.ts';
import { pollDelay } from '../service/timing.ts';
import type { CheckoutRow } from '../store/store.ts';
import { outcomeOf, readApplication } from './application.ts';
import { endWithChargeId } from './charge-outcome.ts';
import { chargeAttempts, lastChargeRequest, MAX_SENT } from './charge-request.ts';
import { type Change, changeCheckout, findCheckout, tryChangeCheckout } from './checkout.ts';
import { confirmCheckout } from './confirmation.ts';
import type { CheckoutContext } from './context.ts';

/**
 * Ends an open checkout whose shopper left, based on its application at the service. Other
 * checkouts stay unchanged.
 * @throws {ProblemError} `checkout-not-found`
 */
export async function cancelCheckout(
  ctx: CheckoutContext,
  checkoutId: string,
  requestId: string,
): Promise<CheckoutRow> {
  // A link stays open, so a page can repeat this call indefinitely.
  const reads = { store: ctx.store, service: ctx.pageReads };
  for (;;) {
    const before = await findCheckout(ctx, checkoutId);
    if (before.status !== 'open') return before;
    const application = await readApplication(reads, before, { priority: 'page', requestId });
    // The service cannot end a link: anyone with the URL may still confirm, so the checkout stays
    // open.
    const mayGoOn = application?.status === undefined || waitsForShopper(application);
    if (before.via === 'link' && mayGoOn) return before;
    const ended = await tryChangeCheckout(ctx, before, endByApplication(ctx, before, application));
    // Undefined means that a concurrent confirmation takes precedence.
    if (ended !== undefined) return ended;
  }
}

/**
 * Ends a pending checkout once its lender or charge has decided, or reopens the checkout when it
 * waits for the shopper again, because a lender may make offers after a delay. In an unknown state
 * the checkout stays pending, because the shopper has not left.
 * @returns undefined when the service did not respond
 */
export async function pollPending(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId?: string,
): Promise<CheckoutRow | undefined> {
  const { chargeId } = checkout;
  if (chargeId !== undefined) {
    // The offer that explains the charge's total could not be read earlier.
    const request = await lastChargeRequest(ctx, checkout.id);
    return request && endWithChargeId(ctx, checkout, request, chargeId, requestId);
  }
  const application = await readApplication(ctx, checkout, { priority: 'checkout', requestId });
  return application && advancePending(ctx, checkout, application, requestId);
}

async function advancePending(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  application: Application,
  requestId?: string,
): Promise<CheckoutRow> {
  if (waitsForShopper(application)) return reopen(ctx, checkout);
  return hasEnded(application) || isStale(checkout, application)
    ? changeCheckout(ctx, checkout, endByApplication(ctx, checkout, application))
    : confirmByToken(ctx, checkout, application, requestId);
}

/**
 * Polls the application of a checkout after a notification from the service. The companion ignores
 * the notification's content and asks the service. An open checkout stays open while the shopper
 * can continue. A checkout that waits for a lender continues without the browser, and so does a
 * checkout whose application has the confirmation token, after the page's grace period.
 * @returns undefined when the service did not respond
 */
export async function pollNotified(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId: string,
): Promise<CheckoutRow | undefined> {
  const { applicationId, attentionAt, id, status } = checkout;
  if (applicationId === undefined) return checkout;
  if (status === 'pending') return pollPending(ctx, checkout, requestId);
  if (status !== 'open') return checkout;
  const application = await readApplication(ctx, checkout, { priority: 'checkout', requestId });
  if (application === undefined) return undefined;
  const hasToken = application.confirmationToken !== undefined;
  if (hasEnded(application) || (isPending(application) && !hasToken)) {
    return changeCheckout(ctx, checkout, endByApplication(ctx, checkout, application));
  }
  const pollAt = ctx.clock.now() + ctx.timing.pageGraceMs;
  // Counts as finding the token, so that the next poll confirms the checkout.
  if (hasToken && attentionAt !== undefined && pollAt < attentionAt) {
    await ctx.store.claimAttention(id, attentionAt, pollAt);
  }
  return checkout;
}

/**
 * Advances the checkout of a link based on the state of its applications. No page can confirm such
 * a checkout or change its order, so it is confirmed immediately.
 */
export async function advanceLinkCheckout(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  application: Application,
  requestId: string,
): Promise<CheckoutRow> {
  const { chargeId, status } = checkout;
  if (status === 'pending' && chargeId === undefined) {
    return advancePending(ctx, checkout, application, requestId);
  }
  if (status !== 'open' && status !== 'expired') return checkout;
  if (application.confirmationToken !== undefined) {
    return confirmByToken(ctx, checkout, application, requestId);
  }
  const hasDecided = hasEnded(application) || isPending(application) || isConfirmed(application);
  if (status === 'expired' || !hasDecided) return checkout;
  return changeCheckout(ctx, checkout, endByApplication(ctx, checkout, application));
}

/** How long an open checkout is polled at the shortest interval, in milliseconds. */
const CLOSELY_POLLED_MS = 3_600_000;

/**
 * Returns when an open checkout is polled next. The shopper may confirm an offer and return to a page
 * whose script is blocked or delayed, or not return at all, and the service may send no
 * notifications. The interval grows after an hour, so that an abandoned session costs little.
 */
export function nextOpenPoll(
  { clock, timing }: Pick<CheckoutContext, 'clock' | 'timing'>,
  checkout: Pick<CheckoutRow, 'applicationId' | 'expiresAt' | 'updatedAt' | 'via'>,
): number {
  const { applicationId, expiresAt, updatedAt, via } = checkout;
  // The poll of its link tracks a link's checkout.
  if (applicationId === undefined || via === 'link') return expiresAt;
  const now = clock.now();
  const more = Math.max(0, now - updatedAt - CLOSELY_POLLED_MS);
  return Math.min(expiresAt, now + timing.openPollMs + more);
}

/**
 * Confirms an open checkout that has not expired when its application has the confirmation token, in
 * the second poll that finds it: the page goes first, for a grace period.
 */
export async function pollOpen(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId?: string,
): Promise<CheckoutRow> {
  const { attentionAt, attentionTries, expiresAt, id, orderChanged } = checkout;
  // Each poll counts as one try until its result is stored; finding the token adds another.
  const isSeen = attentionTries > 1;
  // The first poll has no causing request, and pages determine how many first polls there are.
  const call = isSeen
    ? ({ priority: 'checkout', requestId } as const)
    : ({ priority: 'page' } as const);
  const application = await readApplication(ctx, checkout, call);
  const isOver = application !== undefined && (hasEnded(application) || orderChanged);
  const hasToken = application?.confirmationToken !== undefined && !isOver;
  if (hasToken && isSeen) {
    const after = await confirmByToken(ctx, checkout, application, requestId);
    if (after.status !== 'open') return after;
  }
  const isGrace = hasToken && !isSeen;
  const next = isGrace
    ? Math.min(expiresAt, ctx.clock.now() + ctx.timing.pageGraceMs)
    : isOver
      ? expiresAt
      : nextOpenPoll(ctx, checkout);
  if (attentionAt !== undefined) {
    await ctx.store.claimAttention(id, attentionAt, next, !isGrace);
  }
  return checkout;
}

/**
 * Ends an open checkout that has expired. It continues without the browser when the shopper has
 * confirmed an offer or a lender is still deciding.
 */
export async function expireCheckout(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId?: string,
): Promise<CheckoutRow> {
  const application = await readApplication(ctx, checkout, { priority: 'checkout', requestId });
  if (application && outcomeOf(application) === 'pending' && !checkout.orderChanged) {
    return changeCheckout(ctx, checkout, endByApplication(ctx, checkout, application));
  }
  const mayFollow = application === undefined || waitsForShopper(application);
  const attentionAt = mayFollow ? ctx.clock.now() + ctx.timing.maxPollMs : undefined;
  return changeCheckout(ctx, checkout, endWith('expired', { attentionAt, attentionTries: 0 }));
}

/** Maximum number of polls of an expired checkout: the shopper may confirm at the last moment. */
const EXPIRED_POLLS = 3;

/** Confirms an expired checkout whose shopper has confirmed an offer. */
export async function pollExpired(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId?: string,
): Promise<CheckoutRow> {
  const application = await readApplication(ctx, checkout, { priority: 'checkout', requestId });
  if (application !== undefined && isConfirmed(application) && !checkout.orderChanged) {
    const after = await confirmByToken(ctx, checkout, application, requestId);
    if (after.status !== 'expired') return after;
  }
  const mayFollow =
    application === undefined ||
    waitsForShopper(application) ||
    isConfirmed(application) ||
    isPending(application);
  const attentionAt =
    mayFollow && checkout.attentionTries < EXPIRED_POLLS
      ? ctx.clock.now() + ctx.timing.maxPollMs * checkout.attentionTries
      : undefined;
  return changeCheckout(ctx, checkout, endWith('expired', { attentionAt }));
}

/**
 * Confirms a checkout with the token of its application: the shopper confirmed an offer and their
 * browser is gone. The page goes first, for a grace period, because only the page knows whether the
 * order has changed. The token hash and the claim on the order ensure a single charge.
 */
async function confirmByToken(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  application: Application,
  requestId: string = randomId('req'),
): Promise<CheckoutRow> {
  const { confirmationToken } = application;
  if (confirmationToken === undefined || hasEnded(application)) return checkout;
  const checkoutId = checkout.id;
  if (chargeAttempts(await ctx.store.findAttempts(checkoutId)).length >= MAX_SENT) {
    // Manual action is needed: the shopper has a loan, and no charge could be created.
    raiseAlarm(ctx, 'confirmation-given-up', { requestId, checkoutId });
    return changeCheckout(ctx, checkout, { set: { attentionAt: undefined } });
  }
  try {
    const input = { checkoutId, confirmationToken, requestId, byService: true };
    return await confirmCheckout(ctx, input);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { code } = error;
    ctx.logger.log('warn', 'application-not-confirmed', { requestId, checkoutId, code });
    const current = (await ctx.store.findCheckout(checkoutId)) ?? checkout;
    const isPaid = code === 'checkout-not-open' && (await isPaidElsewhere(ctx, current));
    const mayEnd = current.status === 'pending' || (current.via && current.status === 'open');
    return isPaid && mayEnd ? changeCheckout(ctx, current, endWith('cancelled')) : current;
  }
}

/** Returns whether another checkout has paid the order. */
export async function isPaidElsewhere(
  { environment, store }: CheckoutContext,
  { id, merchantOrderId }: CheckoutRow,
): Promise<boolean> {
  const all = await store.findCheckoutsOfOrder(environment, merchantOrderId);
  return all.some((other) => other.id !== id && other.status === 'approved');
}

/**
 * How long the checkout of an ended link stays open for a shopper who continues, in milliseconds.
 */
const REOPENED_LINK_MS = 3_600_000;

/** Reopens a checkout for the shopper, for the lifetime of a new checkout. */
function reopen(ctx: CheckoutContext, checkout: CheckoutRow): Promise<CheckoutRow> {
  const now = ctx.clock.now();
  // The link itself is not extended; the shopper continues in the application.
  const expiresAt =
    checkout.via === 'link'
      ? Math.max(checkout.expiresAt, now + REOPENED_LINK_MS)
      : now + checkout.expiresAt - checkout.createdAt;
  const attentionAt = nextOpenPoll(ctx, { ...checkout, expiresAt, updatedAt: now });
  return changeCheckout(ctx, checkout, {
    set: { status: 'open', expiresAt, attentionAt, attentionTries: 0 },
  });
}

/** Returns whether the page rejected the confirmed order because the order has changed. */
function isStale({ orderChanged }: CheckoutRow, application: Application): boolean {
  return orderChanged && isConfirmed(application);
}

/**
 * Returns the change that ends a checkout without a charge, based on its application.
 * @param application undefined when the service did not respond: the shopper has left anyway
 */
function endByApplication(
  { clock, timing }: CheckoutContext,
  checkout: CheckoutRow,
  application: Application | undefined,
): Change {
  if (application === undefined || isStale(checkout, application)) return endWith('cancelled');
  const outcome = outcomeOf(application);
  if (outcome !== 'pending') return endWith(outcome);
  // The checkout continues without the browser: it is polled, and confirmed after the page's grace
  // period.
  const wait = isConfirmed(application) ? timing.pageGraceMs : pollDelay(timing, 4);
  return endWith(outcome, { attentionAt: clock.now() + wait, attentionTries: 4 });
}

function endWith(
  status: Outcome,
  poll: { attentionAt: number | undefined; attentionTries?: number } = { attentionAt: undefined },
): Change {
  return { set: { status, retrySafe: undefined, ...poll } };
}
