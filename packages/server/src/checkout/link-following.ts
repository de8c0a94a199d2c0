import { fewAtATime } from '../platform/few-at-a-time.ts';
import { randomId } from '../platform/id.ts';
import type { Link, LinkApplication } from '../service/links.ts';
import { pollDelay } from '../service/timing.ts';
import type { CheckoutRow, LinkRow } from '../store/store.ts';
import { advanceLinkCheckout, isPaidElsewhere } from './application.ts';
import type { CheckoutContext } from './context.ts';
import {
  applicationOfLink,
  confirmedApplications,
  type LinkState,
  stateOfLink,
  tokenHash,
} from './link-application.ts';

/** How long an opened link is read more often after its last change, in milliseconds. */
const BUSY_MS = 3_600_000;
/** How long a link is read after its end: the shopper may be in an application. In milliseconds. */
const FOLLOWED_AFTER_MS = 3_600_000;
const MAX_PROGRESS_LENGTH = 1_000;

/** Reads each link that is due. @returns the number of due links */
export async function pollDueLinks(
  ctx: CheckoutContext,
  limit: number,
  ending: AbortSignal,
): Promise<number> {
  const due = await ctx.store.dueLinks(ctx.environment, ctx.clock.now(), limit);
  await fewAtATime(due.values(), async (checkoutId) => {
    if (!ending.aborted) await pollLinkIfDue(ctx, checkoutId);
  });
  return due.length;
}

/** Reads a link that is due, unless another companion has claimed it. */
export async function pollLinkIfDue(
  ctx: CheckoutContext,
  checkoutId: string,
  requestId?: string,
): Promise<void> {
  const link = await ctx.store.findLink(checkoutId);
  const now = ctx.clock.now();
  if (link?.attentionAt === undefined || link.attentionAt > now) return;
  const until = now + readDelay(ctx, link, link.state);
  if (!(await ctx.store.claimLinkAttention(checkoutId, link.attentionAt, until))) return;
  await followLink(
    ctx,
    { ...link, attentionAt: until, attentionTries: link.attentionTries + 1 },
    requestId ?? randomId('req'),
  );
}

/**
 * Returns the milliseconds until the next read: they double up to the longest delay of look-ups, and up
 * to a lease while someone is at the opened link.
 */
function readDelay(
  { clock, timing }: CheckoutContext,
  { attentionTries, changedAt }: Pick<LinkRow, 'attentionTries' | 'changedAt'>,
  state: LinkState,
): number {
  const wait = pollDelay(timing, attentionTries);
  const isBusy = state === 'opened' && clock.now() - changedAt < BUSY_MS;
  return isBusy ? Math.min(wait, timing.leaseMs) : wait;
}

/** Reads a link at the service, and does with its checkout what its applications ask for. */
async function followLink(ctx: CheckoutContext, link: LinkRow, requestId: string): Promise<void> {
  const { checkoutId, linkId } = link;
  const checkout = await ctx.store.findCheckout(checkoutId);
  const result =
    linkId === undefined
      ? undefined
      : await ctx.service.link(linkId, { priority: 'checkout', requestId });
  const now = ctx.clock.now();
  const isPast = now >= link.expiresAt + FOLLOWED_AFTER_MS;
  if (checkout === undefined || result?.kind !== 'accepted') {
    // A link that the service does not show is tried again: its checkout ends by time.
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
  const wait = readDelay(ctx, { attentionTries, changedAt }, state);
  await ctx.store.updateLink(checkoutId, link.attentionAt, {
    state,
    progress,
    changedAt,
    attentionAt: isOver ? undefined : now + wait,
    attentionTries,
  });
}

const unfinished = new Set<CheckoutRow['status']>(['open', 'pending']);

/** Returns the statuses of a link and its applications, without ids and tokens. */
function progressOf({ status, applications }: Link): string {
  const words = applications.map((one) => `${one.status ?? ''}${one.confirmationToken ? '+' : ''}`);
  return [status, ...words].join(' ').slice(0, MAX_PROGRESS_LENGTH);
}

/**
 * Reports a confirmed application on a link that is not charged, because the order has its charge or is
 * being charged with another confirmation. The shopper has a loan for an order that is paid: a person must cancel
 * it at the service. Each application is reported once.
 */
export async function reportSecondConfirmation(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  application: LinkApplication,
  requestId: string,
): Promise<void> {
  const { confirmationHash, id: checkoutId } = checkout;
  const isSecond =
    confirmationHash === undefined
      ? await isPaidElsewhere(ctx, checkout)
      : (await tokenHash(checkoutId, application)) !== confirmationHash;
  if (!isSecond) return;
  const isNew = await ctx.store.putSecondConfirmation(checkoutId, {
    applicationId: application.applicationId ?? 'unknown',
    seenAt: ctx.clock.now(),
  });
  if (!isNew) return;
  ctx.counters.increment('confirmation-doubled');
  ctx.logger.log('error', 'confirmation-doubled', { security: true, requestId, checkoutId });
}
