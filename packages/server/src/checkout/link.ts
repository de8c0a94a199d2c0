import {
  type LinkDelivery,
  MAX_LINK_ORDER_ID_LENGTH,
} from '@financing-checkout/contract/back-office';
import { type Order } from '@financing-checkout/contract/storefront';
import { isoTime } from '@financing-checkout/kit';
import { ProblemError } from '../platform/problem.ts';
import type { LinkOptions, MadeLink } from '../service/links.ts';
import { refusedConsumerFields } from '../service/prime.ts';
import { serviceProblem } from '../service/problem.ts';
import type { CallFailure, CallResult } from '../service/result.ts';
import type {
  CheckoutRow,
  ClaimedKey,
  KeyClaim,
  LinkMessage,
  NewLink,
  PrimeClaim,
} from '../store/store.ts';
import { aboveBudget, windows } from './budgets.ts';
import type { CheckoutContext } from './context.ts';
import { orderHash } from './order.ts';
import {
  claimPrime,
  endOfAttempt,
  endOfFailed,
  type Prime,
  type PrimeInput,
  readPrime,
} from './prime.ts';
import { newCheckout, sendOrder } from './session.ts';

/** How staff want a link to be created. */
export interface StaffLink extends Pick<LinkOptions, 'delivery' | 'language'> {
  sender: string;
}

/**
 * Lifetime of a link in milliseconds (published contract, section 6). The service does not state
 * the expiration.
 */
const LINK_MS = 86_400_000;

/** Returns when the claim of a link that is being created ends. */
function claimedUntil(
  { clock, timing }: CheckoutContext,
  delivery: LinkDelivery | undefined,
): number {
  // A link that was sent to the consumer can be opened even if the service's response was lost. The
  // URL of any other lost link was never shown.
  return clock.now() + (delivery === undefined ? timing.leaseMs : LINK_MS);
}

/**
 * Refuses an order that the service would not create a link for, before anything is sent.
 * @throws {ProblemError} `invalid-request` with an error for each field
 */
function refuseUnlinkable(order: Order, delivery: LinkDelivery | undefined): void {
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
 * Returns the checkout of the order's active link, for a new key: the same URL is shown again,
 * because the service can neither end a link nor resend it. This counts as a prime of the order.
 * Above that budget the response still shows the link, but the key is not stored: no row is added,
 * and a later request with that key cannot read the checkout.
 * @returns undefined when the order has no active link, or if the key has its own response
 * @throws {ProblemError} `order-changed` when the link is for other goods or another price,
 * `outcome-unknown` when its URL is lost, `idempotency-in-flight` while the link is being created
 */
async function joinLink(
  ctx: CheckoutContext,
  order: Order,
  prime: PrimeClaim,
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
    // The claim on a link that the service sends outlives its request, because its companion may
    // have died.
    throw left > LINK_MS - leaseMs || left <= leaseMs ? linkInFlight() : lostLink();
  }
  const checkout = await store.findCheckout(claim.checkoutId);
  const isActive =
    checkout?.status === 'pending' || (checkout?.status === 'open' && now < claim.until);
  if (checkout === undefined || !isActive) return undefined;
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

/** Returns the problem for a request while another request creates the order's link. */
function linkInFlight(): ProblemError {
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
 * Creates a link to the checkout of an order, once per Idempotency-Key, or returns the checkout of
 * the order's active link. The page behind it asks the shopper for missing fields.
 * @param staff how staff want the link; undefined for the link of a page
 * @throws {ProblemError}
 */
export async function openLink(
  ctx: CheckoutContext,
  input: PrimeInput,
  staff?: StaffLink,
): Promise<CheckoutRow> {
  const { store } = ctx;
  const delivery = staff?.delivery;
  const prime = await readPrime(ctx, input);
  if ('answer' in prime) return prime.answer;
  refuseUnlinkable(prime.order, delivery);
  const answer =
    (await joinLink(ctx, prime.order, prime.claim)) ??
    (await claimPrime(ctx, prime, (claim) => beginLink(ctx, prime.order, claim, staff)));
  if (answer !== undefined) return answer;

  const result = await createLink(ctx, prime, staff);
  const linkOf = prime.claim.order;
  if (result.kind === 'accepted') {
    const opened = await newLinkedCheckout(ctx, prime, delivery, result.body);
    await store.finishPrime({ ...endOfAttempt(ctx, prime, result), end: opened, linkOf });
    return opened.checkout;
  }
  // The service may have sent the link: a notification that it was used completes this checkout.
  const isLost = result.kind === 'unknown' && delivery !== undefined;
  const lost = isLost ? await newLinkedCheckout(ctx, prime, delivery) : undefined;
  const problem = linkProblem(result);
  const failed = endOfFailed(result, problem);
  const end = failed === 'released' ? failed : { ...failed, lost };
  await store.finishPrime({ ...endOfAttempt(ctx, prime, result), end, linkOf });
  throw problem;
}

/** Claims a key and the link of its order. @throws {ProblemError} */
async function beginLink(
  ctx: CheckoutContext,
  order: Order,
  claim: KeyClaim,
  staff: StaffLink | undefined,
): Promise<ClaimedKey> {
  const { counters, store } = ctx;
  const begun = await store.beginPrime({
    ...claim,
    link: { until: claimedUntil(ctx, staff?.delivery) },
    message: staff && (await linkMessage(ctx, order, staff, claim.now)),
  });
  if (begun.kind === 'link-taken') throw linkInFlight();
  if (begun.kind !== 'messages-spent') return begun;
  counters.increment('link-messages-spent');
  throw aboveBudget(windows[begun.of], begun.freeAt - claim.now);
}

function createLink(
  ctx: CheckoutContext,
  prime: Prime,
  staff: StaffLink | undefined,
): Promise<CallResult<MadeLink>> {
  const { body, requestId } = prime;
  const delivery = staff?.delivery;
  const [language] = /^(?:en|fr)(?![a-z])/i.exec(body.locale ?? '') ?? [];
  const options = {
    delivery,
    language: staff?.language ?? (language?.toLowerCase() as LinkOptions['language']),
    returnUrl: body.returnUrl,
  };
  return sendOrder(
    ctx,
    prime,
    (order) => ctx.service.createLink({ order, ...options }, { priority: 'checkout', requestId }),
    ({ codes, fields }) => {
      // The service needs a consumer to send the link to.
      if (delivery !== undefined) return undefined;
      const refused = refusedConsumerFields(
        fields.map((field) => field.replace(/^consumer\b/i, 'consumerDetails')),
      );
      // An error body with codes names no field, so the consumer may be the cause.
      const isUnnamed = fields.length === 0 && codes.some((code) => /^1000[0-2]$/.test(code));
      return refused.length > 0 || isUnnamed ? refused : undefined;
    },
  );
}

/**
 * Problem details for each of the service's codes for a refused link (published contract, section
 * 6).
 */
const refusals: Readonly<Record<string, string>> = {
  '10101':
    'The service has not enabled this kind of link, or this way of sending it, for the merchant (10101). Ask its support, or send the link another way.',
  '10201':
    'The consumer has opted out of messages (10201). Make the link without "deliver", and hand over its address or QR code.',
};

function linkProblem(failure: CallFailure): ProblemError {
  const problem = serviceProblem(failure, { movesMoney: false });
  const code =
    failure.kind === 'rejected' ? failure.codes.find((one) => one in refusals) : undefined;
  if (code === undefined) return problem;
  return new ProblemError(problem.code, { ...problem.extras, detail: refusals[code] });
}

/** Returns a link and its checkout. @param made undefined when the service's response was lost */
async function newLinkedCheckout(
  ctx: CheckoutContext,
  prime: Prime,
  delivery: LinkDelivery | undefined,
  made?: MadeLink,
): Promise<{ checkout: CheckoutRow; link: NewLink }> {
  const { attemptId, order } = prime;
  const expirationDate = isoTime(ctx.clock.now() + LINK_MS);
  const id = made?.linkId ?? attemptId;
  const checkout = await newCheckout(ctx, prime, { id, expirationDate });
  const { createdAt, environment, expiresAt, merchantOrderId } = checkout;
  return {
    checkout,
    link: {
      checkoutId: checkout.id,
      environment,
      merchantOrderId,
      linkId: made?.linkId,
      correlationId: order.correlationId ?? attemptId,
      url: made?.url,
      qrCode: made?.qrCode ?? undefined,
      delivery,
      createdAt,
      expiresAt,
      // A lost link cannot be read until a notification identifies it.
      attentionAt: made === undefined ? expiresAt : createdAt + ctx.timing.firstPollMs,
    },
  };
}

/** Key-derivation purpose of the recipient digests. A different purpose derives a different key. */
const PURPOSE = 'recipients of links';

/**
 * Returns the message that the service sends with an order's link, as counted by the store. The
 * recipient is given as digests that only a holder of the private key can compare with a phone
 * number or email address.
 * @returns undefined when the service sends nothing
 */
async function linkMessage(
  { environment, linkMessageBudgets, service }: CheckoutContext,
  { consumer }: Order,
  { delivery, sender }: StaffLink,
  now: number,
): Promise<LinkMessage | undefined> {
  if (delivery === undefined) return undefined;
  const { perRecipient, perToken } = linkMessageBudgets;
  const address = delivery === 'email' ? consumer?.email : consumer?.mobilePhoneNumber;
  const recipients =
    perRecipient === 0 ? [] : await service.digests(PURPOSE, recipientOf(delivery, address ?? ''));
  return {
    recipients,
    sender: `${environment} ${sender}`,
    budget: {
      recipient: { limit: perRecipient, since: now - windows.recipient.ms },
      token: { limit: perToken, since: now - windows.token.ms },
    },
  };
}

/**
 * Normalizes a recipient's address, so that all its spellings are equal: a phone number with or
 * without its country prefixes, a mailbox in uppercase or with a tag (RFC 5233).
 */
function recipientOf(delivery: LinkDelivery, address: string): string {
  if (delivery === 'sms') return `sms ${address.slice(-10)}`;
  const at = address.lastIndexOf('@');
  const [mailbox = ''] = address.slice(0, at).split('+');
  return `email ${`${mailbox}${address.slice(at)}`.normalize('NFKC').toLowerCase()}`;
}
