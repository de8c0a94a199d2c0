import { raiseAlarm } from '../charges/context.ts';
import { workOn } from '../platform/few-at-a-time.ts';
import { randomId } from '../platform/id.ts';
import type { Link } from '../service/links.ts';
import { nextPollUnanswered, nextRarePoll, pollDelay, RECHECKED_MS } from '../service/timing.ts';
import type { CheckoutRow, LinkRow } from '../store/store.ts';
import {
  applicationOfLink,
  confirmationHash,
  confirmedApplications,
  type ConfirmedApplication,
  stateOfLink,
} from './application.ts';
import { isRefused, refreshCharge } from './charge-outcome.ts';
import { findCheckout } from './checkout.ts';
import type { CheckoutContext } from './context.ts';
import {
  advanceLinkCheckout,
  expireCheckout,
  isPaidElsewhere,
  pollExpired,
  pollOpen,
  pollPending,
} from './lifecycle.ts';
import { endIfLost } from './lost-charge.ts';
import { reverseCharge } from './reversal.ts';
import { pollLateCharge, pollUnknownCharge } from './unknown-charge.ts';

/**
 * Returns the current checkout, after doing the work that is due on it.
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
  const { leaseMs } = ctx.timing;
  const until = hasNoCharge
    ? nextPollUnanswered(ctx, checkout.attentionTries, rarePoll)
    : now + (checkout.status === 'open' ? leaseMs : pollDelay(ctx.timing, checkout.attentionTries));
  if (!(await ctx.store.claimAttention(checkout.id, due, until))) {
    return (await ctx.store.findCheckout(checkout.id)) ?? checkout;
  }
  const attentionTries = checkout.attentionTries + 1;
  const claimed = { ...checkout, attentionAt: until, attentionTries };
  // Background work is logged with the last request that changed something at the service.
  const cause = requestId ?? (await ctx.store.findAttempts(checkout.id)).at(-1)?.requestId;
  if (hasNoCharge) {
    const polled = await pollLateCharge(ctx, claimed, cause);
    if (polled !== undefined && until !== undefined) {
      await ctx.store.claimAttention(checkout.id, until, rarePoll, true);
    }
    return polled ?? claimed;
  }
  if (checkout.status === 'open' || checkout.status === 'expired') {
    const ended = await endIfLost(ctx, claimed, cause);
    if (ended !== 'none') return ended === 'unresolved' ? claimed : ended;
  }
  switch (checkout.status) {
    case 'confirming':
    case 'unavailable':
      return pollUnknownCharge(ctx, claimed, cause);
    case 'pending':
      return (await pollPending(ctx, claimed, cause)) ?? claimed;
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

/**
 * Polls each checkout that is due.
 * @param open whether to poll open checkouts or all others; pages determine how many are open
 * @returns the number of due checkouts
 */
export async function pollDueCheckouts(
  ctx: CheckoutContext,
  open: boolean,
  limit: number,
  ending: AbortSignal,
): Promise<number> {
  const due = await ctx.store.dueCheckouts(ctx.environment, ctx.clock.now(), limit, open);
  return workOn(due, ending, async (id) => {
    const checkout = await ctx.store.findCheckout(id);
    if (checkout !== undefined) await pollIfDue(ctx, checkout);
  });
}

/** How long an accessed link is polled more often after its last change, in milliseconds. */
const BUSY_MS = 3_600_000;
/**
 * How long a link is polled after its end, in milliseconds: the shopper may still be in an
 * application.
 */
const FOLLOWED_AFTER_MS = 3_600_000;
const MAX_PROGRESS_LENGTH = 1_000;

/** Reads each link that is due. @returns the number of due links */
export async function pollDueLinks(
  ctx: CheckoutContext,
  limit: number,
  ending: AbortSignal,
): Promise<number> {
  const due = await ctx.store.dueLinks(ctx.environment, ctx.clock.now(), limit);
  return workOn(due, ending, (checkoutId) => pollLinkIfDue(ctx, checkoutId));
}

/** Reads a link that is due, unless another companion has claimed it. */
async function pollLinkIfDue(
  ctx: CheckoutContext,
  checkoutId: string,
  requestId?: string,
): Promise<void> {
  const link = await ctx.store.findLink(checkoutId);
  const now = ctx.clock.now();
  if (link?.attentionAt === undefined || link.attentionAt > now) return;
  const until = now + readDelay(ctx, link);
  if (!(await ctx.store.claimLinkAttention(checkoutId, link.attentionAt, until))) return;
  const attentionTries = link.attentionTries + 1;
  await pollLink(
    ctx,
    { ...link, attentionAt: until, attentionTries },
    requestId ?? randomId('req'),
  );
}

type ReadState = Pick<LinkRow, 'attentionTries' | 'changedAt' | 'progress' | 'state'>;

/**
 * Returns the milliseconds until the next read. The delay doubles up to the maximum lookup delay,
 * or up to the length of a lease while a shopper may have the link open.
 */
function readDelay(
  { clock, timing }: CheckoutContext,
  { attentionTries, changedAt, progress, state }: ReadState,
): number {
  const wait = pollDelay(timing, attentionTries);
  const isUsed = state !== 'expired' && progress !== '' && progress !== 'New';
  const isBusy = isUsed && clock.now() - changedAt < BUSY_MS;
  return isBusy ? Math.min(wait, timing.leaseMs) : wait;
}

/**
 * Reads a link from the service, and advances its checkout based on the state of its applications.
 */
async function pollLink(ctx: CheckoutContext, link: LinkRow, requestId: string): Promise<void> {
  const { checkoutId, linkId } = link;
  const checkout = await ctx.store.findCheckout(checkoutId);
  const result =
    linkId === undefined
      ? undefined
      : await ctx.service.link(linkId, { priority: 'checkout', requestId });
  const now = ctx.clock.now();
  const isPast = now >= link.expiresAt + FOLLOWED_AFTER_MS;
  if (checkout === undefined || result?.kind !== 'accepted') {
    // A link that the service does not return is retried: its checkout ends when it expires.
    const attentionAt = checkout === undefined || isPast ? undefined : link.attentionAt;
    const state = now >= link.expiresAt ? 'expired' : link.state;
    await ctx.store.updateLink(checkoutId, link.attentionAt, { ...link, state, attentionAt });
    return;
  }
  const read = result.body;
  const application = await applicationOfLink(checkout, read);
  const after = await advanceLinkCheckout(ctx, checkout, application, requestId);
  for (const confirmed of confirmedApplications(read)) {
    await reportSecondConfirmation(ctx, after, confirmed, requestId);
  }
  const state = stateOfLink(read);
  const progress = progressOf(read);
  const isChanged = progress !== link.progress;
  const changedAt = isChanged ? now : link.changedAt;
  const attentionTries = isChanged ? 0 : link.attentionTries;
  const isOver = isPast || (state === 'expired' && !unfinished.has(after.status));
  const wait = readDelay(ctx, { attentionTries, changedAt, progress, state });
  await ctx.store.updateLink(checkoutId, link.attentionAt, {
    state,
    progress,
    changedAt,
    attentionAt: isOver ? undefined : now + wait,
    attentionTries,
  });
}

const unfinished = new Set<CheckoutRow['status']>(['open', 'pending']);

/** Returns the statuses of a link and its applications, without ids or tokens. */
function progressOf({ status, applications }: Link): string {
  const words = applications.map((one) => `${one.status ?? ''}${one.confirmationToken ? '+' : ''}`);
  return [status, ...words].join(' ').slice(0, MAX_PROGRESS_LENGTH);
}

/**
 * Reports a confirmed application on a link that is not charged, because the order is already
 * charged or is being charged with another confirmation. The shopper has a loan for an order that
 * is already paid: the loan must be canceled manually at the service. Each application is reported
 * once.
 */
export async function reportSecondConfirmation(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  application: Pick<ConfirmedApplication, 'applicationId' | 'confirmationToken'>,
  requestId: string,
): Promise<void> {
  const checkoutId = checkout.id;
  const isSecond =
    checkout.confirmationHash === undefined
      ? await isPaidElsewhere(ctx, checkout)
      : (await confirmationHash(checkoutId, application.confirmationToken)) !==
        checkout.confirmationHash;
  if (!isSecond) return;
  const isNew = await ctx.store.putSecondConfirmation(checkoutId, {
    applicationId: application.applicationId ?? 'unknown',
    seenAt: ctx.clock.now(),
  });
  if (!isNew) return;
  raiseAlarm(ctx, 'confirmation-doubled', { security: true, requestId, checkoutId });
}
