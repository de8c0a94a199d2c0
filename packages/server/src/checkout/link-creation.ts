import {
  type LinkDelivery,
  MAX_LINK_ORDER_ID_LENGTH,
  type Order,
} from '@financing-checkout/contract';
import { randomId, sha256 } from '../platform/id.ts';
import { isIdempotencyKey, storedKey } from '../platform/idempotency-key.ts';
import { ProblemError } from '../platform/problem.ts';
import type { LinkOptions, MadeLink } from '../service/links.ts';
import { serviceProblem } from '../service/problem.ts';
import { refusedConsumerFields } from '../service/prime.ts';
import type { CallFailure, CallResult } from '../service/result.ts';
import type { CheckoutRow, JoinLink, NewLink } from '../store/store.ts';
import type { CheckoutContext } from './context.ts';
import { orderHash } from './order.ts';

/** Milliseconds for which a link lives (published contract, section 6). The service does not state the end. */
export const LINK_MS = 86_400_000;

/** Returns when the claim of a link that is being made ends. */
export function claimedUntil(
  { clock, timing }: CheckoutContext,
  delivery: LinkDelivery | undefined,
): number {
  // A link that was sent can be opened although its answer is lost. The address of any other lost link
  // was never shown.
  return clock.now() + (delivery === undefined ? timing.leaseMs : LINK_MS);
}

/**
 * Refuses an order for which the service would make no link, before anything is sent.
 * @throws {ProblemError} `invalid-request` with an error for each field
 */
export function refuseUnlinkable(order: Order, delivery: LinkDelivery | undefined): void {
  const { consumer, merchantOrderId } = order;
  const needed =
    delivery === undefined
      ? []
      : ([delivery === 'email' ? 'email' : 'mobilePhoneNumber', 'firstName', 'lastName'] as const);
  const errors = needed
    .filter((field) => consumer?.[field] === undefined)
    .map((field) => ({
      path: `order.consumer.${field}`,
      message: `is needed to send the link by ${delivery === 'email' ? 'e-mail' : 'SMS'}`,
    }));
  if (merchantOrderId.length > MAX_LINK_ORDER_ID_LENGTH) {
    const message = `must have at most ${MAX_LINK_ORDER_ID_LENGTH} characters for a link`;
    errors.push({ path: 'order.merchantOrderId', message });
  }
  if (errors.length > 0) throw new ProblemError('invalid-request', { errors });
}

/**
 * Returns the checkout of the order's living link, for a new key: the same address is shown again,
 * because the service can neither end a link nor send it again.
 * It counts as a prime of the order. Above that budget the link is shown as well, but the key is not
 * recorded: it reads the checkout no more, and costs no row.
 * @returns undefined when the order has no living link, or the key has its own answer
 * @throws {ProblemError} `order-changed` when the link is for other goods or another price,
 * `outcome-unknown` when its address is lost, `idempotency-in-flight` while it is being made
 */
export async function joinLink(
  ctx: CheckoutContext,
  order: Order,
  prime: Omit<JoinLink, 'checkoutId'>,
): Promise<CheckoutRow | undefined> {
  const { store } = ctx;
  const { now } = prime;
  const known = await store.findIdempotency(prime.key);
  if (known !== undefined && known.state !== 'released') return undefined;
  const claim = await store.findLinkClaim(prime.order);
  if (claim === undefined) return undefined;
  if (claim.checkoutId === undefined) {
    if (claim.until <= now) return undefined;
    const left = claim.until - now;
    const { leaseMs } = ctx.timing;
    // The claim of a link to send outlives its request, because its companion may have died.
    throw left > LINK_MS - leaseMs || left <= leaseMs ? linkInFlight() : lostLink();
  }
  const checkout = await store.findCheckout(claim.checkoutId);
  const isLiving =
    checkout?.status === 'pending' || (checkout?.status === 'open' && now < claim.until);
  if (checkout === undefined || !isLiving) return undefined;
  if (checkout.orderHash !== (await orderHash(order))) {
    throw new ProblemError('order-changed', {
      detail:
        'A link to an earlier version of this order lives, and the service cannot withdraw it. Use a new order number, or wait until the link has ended.',
      amounts: {
        approved: checkout.amount,
        current: { value: order.totalAmount, currency: order.currency },
      },
    });
  }
  if ((await store.findLink(checkout.id))?.url === undefined) throw lostLink();
  const joined = await store.joinLink({ ...prime, checkoutId: checkout.id });
  return joined === 'known' ? undefined : checkout;
}

/** Returns whether a page's secret is a key that has joined the link of a checkout. */
export async function hasJoined(
  { environment, store }: Pick<CheckoutContext, 'environment' | 'store'>,
  { id, via }: CheckoutRow,
  secret: string,
): Promise<boolean> {
  // The keys of staff and of forms have a space.
  if (via !== 'link' || !isIdempotencyKey(secret)) return false;
  const row = await store.findIdempotency(storedKey(environment, await sha256(secret)));
  return row?.checkoutId === id;
}

/** Returns the problem of a request while another one makes the link of the order. */
export function linkInFlight(): ProblemError {
  return new ProblemError('idempotency-in-flight', {
    detail: 'Another request is making the link of this order: try again in a moment.',
    retrySafe: true,
    retryAfterSeconds: 1,
  });
}

function lostLink(): ProblemError {
  return new ProblemError('outcome-unknown', {
    detail:
      'The service may have sent a link for this order; its answer was lost. For 24 hours no second link is made. The shopper can use the one that was sent, or pay on the shop’s page.',
  });
}

/**
 * Asks the service for a link. If it refuses fields of the consumer, the request is sent once more
 * without the consumer, unless the link is sent to them: the refused request did nothing, and the page
 * behind the link asks the shopper.
 */
export async function requestLink(
  { counters, logger, service }: CheckoutContext,
  order: Order,
  options: LinkOptions,
  { attemptId, requestId }: { attemptId: string; requestId: string },
): Promise<CallResult<MadeLink>> {
  const { consumer, ...rest } = { ...order, correlationId: order.correlationId ?? attemptId };
  const full = consumer === undefined ? rest : { ...rest, consumer };
  const result = await service.createLink(
    { order: full, ...options },
    { priority: 'checkout', requestId },
  );
  if (consumer === undefined || options.delivery !== undefined) return result;
  if (result.kind !== 'rejected') return result;
  const { status, codes, serviceRequestId } = result;
  const fields = refusedConsumerFields(
    result.fields.map((field) => field.replace(/^consumer\b/i, 'consumerDetails')),
  );
  // A body with codes names no field, so the consumer may be the reason.
  const isUnnamed = result.fields.length === 0 && codes.some((code) => /^1000[0-2]$/.test(code));
  if (fields.length === 0 && !isUnnamed) return result;
  logger.log('warn', 'consumer-refused', {
    requestId,
    attemptId,
    serviceRequestId,
    status,
    fields,
  });
  counters.increment('consumer-refused');
  return service.createLink({ order: rest, ...options }, { priority: 'checkout', requestId });
}

/** The refusals of links (published contract, section 6), in words. */
const refusals: Readonly<Record<string, string>> = {
  '10101':
    'The service has not enabled this kind of link, or this way of sending it, for the merchant (10101). Ask its support, or send the link another way.',
  '10201':
    'The consumer has opted out of messages (10201). Make the link without "deliver", and hand over its address or QR code.',
};

/** Returns the problem of a link that was not made. */
export function linkProblem(failure: CallFailure): ProblemError {
  const problem = serviceProblem(failure, { movesMoney: false });
  const code =
    failure.kind === 'rejected' ? failure.codes.find((one) => one in refusals) : undefined;
  return code === undefined
    ? problem
    : new ProblemError(problem.code, { ...problem.extras, detail: refusals[code] });
}

/** Returns a link for the store. @param made undefined when the answer of the service is lost */
export function newLink(
  { timing }: CheckoutContext,
  checkout: CheckoutRow,
  made: MadeLink | undefined,
  { correlationId, delivery }: { correlationId: string; delivery: LinkDelivery | undefined },
): NewLink {
  const { createdAt, environment, expiresAt, id, merchantOrderId } = checkout;
  return {
    checkoutId: id,
    environment,
    merchantOrderId,
    linkId: made?.linkId,
    correlationId,
    url: made?.url,
    qrCode: made?.qrCode ?? undefined,
    delivery,
    createdAt,
    expiresAt,
    // Nothing can be read about a lost link before a notification names it.
    attentionAt: made === undefined ? expiresAt : createdAt + timing.firstPollMs,
  };
}

/** Returns a secret hash that no page can match, because the secret is not kept. */
export const noSecret = () => sha256(randomId('req'));
