import type { LinkRecord, LinkRequest } from '@financing-checkout/contract/back-office';
import { isoTime } from '@financing-checkout/kit';
import { sha256 } from '../platform/id.ts';
import { storedKey } from '../platform/idempotency-key.ts';
import { ProblemError } from '../platform/problem.ts';
import { JOINED } from '../store/link-claims.ts';
import type { CheckoutRow, LinkRow } from '../store/store.ts';
import type { CheckoutContext } from './context.ts';
import { noSecret } from './checkout.ts';
import { openLink } from './link.ts';
import { readCheckout } from './poller.ts';
import { reversalOfCheckout } from './presentation.ts';

/** The token that reads a link. */
export interface LinkReader {
  actor: string;
  requestId: string;
  /** Whether the token may open links, that is, has the scope `links`. */
  opensLinks: boolean;
}

interface LinkInput extends LinkRequest {
  /** Value of the Idempotency-Key header. */
  key: string;
  request: Request;
  reader: LinkReader;
}

/**
 * Creates a link to the checkout of an order that staff enter, or returns the order's active link.
 * @throws {ProblemError}
 */
export async function createLink(
  ctx: CheckoutContext,
  { order, deliver, language, request, reader, ...input }: LinkInput,
): Promise<{ link: LinkRecord; isNew: boolean }> {
  const { environment, store } = ctx;
  // The space prevents collisions with the keys of pages.
  const key = `links ${input.key}`;
  const prime = {
    // The key covers the whole request; only its digest is stored.
    body: {
      order: JSON.stringify([order, deliver ?? null, language ?? null]),
      environment,
      via: 'link' as const,
    },
    stated: { order, ticketId: undefined },
    key,
    secretHash: await noSecret(),
    origin: '',
    request,
    requestId: reader.requestId,
  };
  const staff = { delivery: deliver, language, sender: reader.actor };
  const checkout = await openLink(ctx, prime, staff);
  const answered = await store.findIdempotency(storedKey(environment, await sha256(key)));
  const link = await store.findLink(checkout.id);
  // Above the order's budget, the key of a joined link has no stored response.
  const isOfKey = answered?.checkoutId === checkout.id;
  if (link === undefined || (!isOfKey && checkout.status === 'approved')) {
    throw new ProblemError('checkout-not-open', {
      detail:
        reversalOfCheckout(checkout) === undefined
          ? 'The charge of this order exists: query its status.'
          : 'The order has its charge, and money of it was returned: use a new order number.',
    });
  }
  return {
    link: await linkRecord(ctx, reader, checkout, link),
    isNew: isOfKey && answered.attemptId !== JOINED,
  };
}

/**
 * Returns a link after doing the work that is due on it.
 * @throws {ProblemError} `checkout-not-found`
 */
export async function readLink(
  ctx: CheckoutContext,
  checkoutId: string,
  reader: LinkReader,
): Promise<LinkRecord> {
  const checkout = await readCheckout(ctx, checkoutId, reader.requestId);
  const link = await ctx.store.findLink(checkoutId);
  if (link === undefined) throw new ProblemError('checkout-not-found');
  return linkRecord(ctx, reader, checkout, link);
}

export async function linksOfOrder(
  ctx: CheckoutContext,
  merchantOrderId: string,
  reader: LinkReader,
): Promise<LinkRecord[]> {
  const { environment, store } = ctx;
  const records: LinkRecord[] = [];
  for (const link of await store.findLinksOfOrder({ environment, merchantOrderId })) {
    const checkout = await store.findCheckout(link.checkoutId);
    if (checkout !== undefined) records.push(await linkRecord(ctx, reader, checkout, link));
  }
  return records;
}

/** Returns a link for staff, without any data about the applicant. */
async function linkRecord(
  ctx: CheckoutContext,
  reader: LinkReader,
  checkout: CheckoutRow,
  link: LinkRow,
): Promise<LinkRecord> {
  const second = await ctx.store.findSecondConfirmations(checkout.id);
  const isLost = link.url === undefined;
  const isShown = !isLost && mayOpen(ctx, reader, checkout, link);
  if (isShown) {
    const { actor, requestId } = reader;
    ctx.logger.log('info', 'link-address-read', { requestId, actor, checkoutId: checkout.id });
  }
  return {
    checkoutId: checkout.id,
    environment: checkout.environment,
    merchantOrderId: checkout.merchantOrderId,
    amount: checkout.amount,
    status: checkout.status,
    state: link.state,
    createdAt: isoTime(link.createdAt),
    expiresAt: isoTime(link.expiresAt),
    addressLost: isLost || undefined,
    url: isShown ? link.url : undefined,
    qrCode: isShown ? link.qrCode : undefined,
    delivery: link.delivery,
    secondConfirmations:
      second.length === 0
        ? undefined
        : second.map(({ applicationId, seenAt }) => ({ applicationId, seenAt: isoTime(seenAt) })),
  };
}

/**
 * Returns whether a reader may see the URL of a link: the linked page shows the consumer's name,
 * email address and phone number. Staff have no use for the URL after its checkout has ended.
 */
function mayOpen(
  { clock }: CheckoutContext,
  { opensLinks }: LinkReader,
  { status }: CheckoutRow,
  { expiresAt, state }: LinkRow,
): boolean {
  return opensLinks && status === 'open' && state !== 'expired' && clock.now() < expiresAt;
}
