import type { PrimeRequest } from '@financing-checkout/contract';
import { orderTotal } from '@financing-checkout/contract';
import { randomId, sha256 } from '../platform/id.ts';
import { storedKey } from '../platform/idempotency-key.ts';
import { ProblemError } from '../platform/problem.ts';
import { failureReason, storedProblem } from '../service/problem.ts';
import type { BegunPrime, CheckoutRow, IdempotencyRow } from '../store/store.ts';
import { aboveBudget, windows } from './budgets.ts';
import { noSecret } from './checkout.ts';
import type { CheckoutContext } from './context.ts';
import {
  claimedUntil,
  joinLink,
  linkInFlight,
  linkMessage,
  openLink,
  refuseUnlinkable,
  type StaffLink,
} from './link.ts';
import { refuseLostOrder } from './lost-charge.ts';
import type { StatedOrder } from './order-source.ts';
import { presentCheckout } from './presentation.ts';
import { openSession } from './session.ts';

export interface PrimeInput {
  body: PrimeRequest;
  /** Value of the Idempotency-Key header. Only its digest is stored. */
  key: string;
  /** SHA-256 of the secret that a page needs for the checkout. @default SHA-256 of the key */
  secretHash?: string;
  /** The order, if the caller has it without a ticket. */
  stated?: StatedOrder;
  /**
   * Only for links that staff request (`via: 'link'`): how the service sends the link, its
   * language, and the back-office token.
   */
  link?: StaffLink;
  origin: string;
  request: Request;
  requestId: string;
}

/**
 * Primes a checkout at the service, once per Idempotency-Key. If the order is already charged, this
 * returns the approved checkout instead; {@link presentCheckout} omits the session of such a
 * checkout.
 * @throws {ProblemError}
 */
export async function primeCheckout(ctx: CheckoutContext, input: PrimeInput): Promise<CheckoutRow> {
  const { body, link: staff, origin, requestId } = input;
  const { environment, store } = ctx;
  const keyHash = await sha256(input.key);
  const key = storedKey(environment, keyHash);
  refuseOtherPage(ctx, input);
  const fingerprint = await fingerprintOf(input);
  let stated: StatedOrder;
  try {
    stated = await readOrder(ctx, input);
  } catch (error) {
    // A key with a recorded response repeats that response, even after the ticket has become
    // invalid.
    const known = await findAnswer(ctx, key, fingerprint);
    if (known === undefined) throw error;
    return replay(ctx, known, fingerprint);
  }
  const { order, ticketId } = stated;
  const isLink = body.via === 'link';
  const now = ctx.clock.now();
  const attemptId = randomId('att');
  const orderOf = { environment, merchantOrderId: order.merchantOrderId };
  const prime = {
    key,
    fingerprint,
    attempt: {
      id: attemptId,
      kind: 'prime',
      checkoutId: undefined,
      merchantTransactionId: undefined,
      requestId,
    },
    order: orderOf,
    budget: { ...ctx.budgets, since: now - windows.primes.ms },
    now,
  } as const;
  if (isLink) {
    refuseUnlinkable(order, staff?.delivery);
    const joined = await joinLink(ctx, order, prime);
    if (joined !== undefined) return joined;
  }
  if (ctx.oneTimeTickets && ticketId !== undefined) {
    const known = await findAnswer(ctx, key, fingerprint);
    if (known !== undefined) return replay(ctx, known, fingerprint);
    if (!(await store.claimTicket(storedKey(environment, ticketId), key, now))) {
      const all = await store.findCheckoutsOfOrder(environment, order.merchantOrderId);
      const approved = all.find(({ status }) => status === 'approved');
      if (approved !== undefined) return approved;
      throw new ProblemError('order-ticket-used', {
        detail:
          'Continue with the open checkout, or cancel it and start again. A pending checkout must end first.',
      });
    }
  }
  await refuseLostOrder(ctx, { ...orderOf, currency: order.currency }, requestId);
  const begun = await store.beginPrime({
    ...prime,
    link: isLink ? { until: claimedUntil(ctx, staff?.delivery) } : undefined,
    message: staff && (await linkMessage(ctx, order, staff, now)),
    leaseUntil: now + ctx.timing.leaseMs,
  });
  if (begun.kind === 'known') return replay(ctx, begun.row, fingerprint);
  if (begun.kind !== 'begun') return answerRefused(ctx, begun, now);

  const sent = {
    body,
    order,
    origin,
    requestId,
    attemptId,
    secretHash: input.secretHash ?? keyHash,
  };
  const opening = isLink ? await openLink(ctx, sent, staff) : await openSession(ctx, sent);
  const { result } = opening;
  const attempt = { id: attemptId, state: result.kind, serviceRequestId: result.serviceRequestId };
  const finish = { key, linkOf: isLink ? orderOf : undefined, now: ctx.clock.now() };
  if ('opened' in opening) {
    await store.finishPrime({ ...finish, attempt, end: opening.opened });
    return opening.opened.checkout;
  }
  const { problem, lost } = opening;
  await store.finishPrime({
    ...finish,
    attempt: { ...attempt, reason: failureReason(opening.result) },
    // Provably nothing was done, so the client may retry with the same key.
    end: result.kind === 'not-sent' ? 'released' : { problem: storedProblem(problem), lost },
  });
  throw problem;
}

/** Returns the digest of a request. All requests with the same key must have the same digest. */
function fingerprintOf({ body, origin }: Pick<PrimeInput, 'body' | 'origin'>): Promise<string> {
  const { locale = null, order, returnUrl = null, via } = body;
  const parts = [origin, order, returnUrl, locale];
  // A request without this field keeps the fingerprint that earlier versions stored.
  return sha256(JSON.stringify(via === undefined ? parts : [...parts, via]));
}

/**
 * Returns the approved checkout of an order that is already charged.
 * @throws {ProblemError} for any other refusal
 */
async function answerRefused(
  ctx: CheckoutContext,
  begun: Exclude<BegunPrime, { kind: 'begun' | 'known' }>,
  now: number,
): Promise<CheckoutRow> {
  switch (begun.kind) {
    case 'link-taken':
      throw linkInFlight();
    case 'order-taken': {
      const holder = await ctx.store.findCheckout(begun.checkoutId);
      // Another device does not know the checkout that created the charge, so the page on that
      // device shows that the order is financed, or how the money was returned.
      if (holder?.status === 'approved') return holder;
      throw new ProblemError('checkout-not-open', {
        detail: 'The charge of this order exists or is being created: query its status.',
      });
    }
    case 'above-budget':
      throw aboveBudget(windows.primes, begun.freeAt - now);
    case 'messages-spent':
      ctx.counters.increment('link-messages-spent');
      throw aboveBudget(windows[begun.of], begun.freeAt - now);
  }
}

/**
 * Refuses a page of another environment, or a return URL on another origin.
 * @throws {ProblemError}
 */
export function refuseOtherPage(
  { environment }: CheckoutContext,
  { body, origin }: { body: Pick<PrimeRequest, 'environment' | 'returnUrl'>; origin: string },
): void {
  if (body.environment !== environment) {
    throw new ProblemError('environment-mismatch', {
      detail: `This companion is set to "${environment}": give the element the same environment and its public key.`,
    });
  }
  if (body.returnUrl !== undefined && new URL(body.returnUrl).origin !== origin) {
    throw new ProblemError('invalid-request', {
      errors: [{ path: 'returnUrl', message: 'must be on the origin of the page' }],
    });
  }
}

/** Returns the order of a request. @throws {ProblemError} */
async function readOrder(
  ctx: CheckoutContext,
  { body, origin, request, ...input }: PrimeInput,
): Promise<StatedOrder> {
  const stated = input.stated ?? (await ctx.orderSource(body.order, { origin, request }));
  if (orderTotal(stated.order) === stated.order.totalAmount) return stated;
  throw new ProblemError('order-totals-mismatch', {
    detail:
      'items + warranties (once a line) − discounts + tax + shipping + tax on shipping must equal totalAmount, in minor units.',
  });
}

/** Returns the row of a used key, unless the same request has released the key. */
async function findAnswer(
  ctx: CheckoutContext,
  key: string,
  fingerprint: string,
): Promise<IdempotencyRow | undefined> {
  const known = await ctx.store.findIdempotency(key);
  return known?.state === 'released' && known.fingerprint === fingerprint ? undefined : known;
}

/** Returns the recorded response for a key. @throws {ProblemError} */
async function replay(
  ctx: CheckoutContext,
  known: IdempotencyRow,
  fingerprint: string,
): Promise<CheckoutRow> {
  if (known.fingerprint !== fingerprint) {
    throw new ProblemError('idempotency-key-reused', {
      detail: 'Use a new Idempotency-Key for a request with another body.',
    });
  }
  if (known.problem !== undefined) {
    const { code, ...extras } = known.problem;
    throw new ProblemError(code, extras);
  }
  if (known.checkoutId !== undefined) {
    const checkout = await ctx.store.findCheckout(known.checkoutId);
    if (checkout !== undefined) return checkout;
  }
  if (known.state !== 'finished' && ctx.clock.now() < known.leaseUntil) {
    throw new ProblemError('idempotency-in-flight', { retrySafe: true, retryAfterSeconds: 1 });
  }
  // The companion that sent the prime died before it recorded the response, so the response and the
  // key are lost. A prime moves no money, so another one does no harm.
  throw new ProblemError('outcome-unknown', {
    detail: 'The outcome of this request is unknown. Start again with a new Idempotency-Key.',
    retrySafe: true,
  });
}

/**
 * Maximum number of times that a ticket may start again after a checkout that ended without a
 * charge.
 */
const MAX_STARTS = 20;

/** A form that a page without JavaScript submits. */
export interface StartInput extends Omit<PrimeInput, 'key' | 'body' | 'stated'> {
  body: PrimeRequest & { returnUrl: string };
  /**
   * Counts a valid ticket, by its id, before the store is asked.
   * @throws {ProblemError} `rate-limited`
   */
  admit: (ticket: string) => void;
}

/**
 * Primes a checkout for a page without JavaScript and returns the redirect URL. While the checkout
 * is open, the same ticket leads to it, so a form that is submitted twice starts only one checkout.
 * After a checkout that ended without a charge, the ticket starts a new one.
 * @throws {ProblemError}
 */
export async function startCheckout(ctx: CheckoutContext, input: StartInput): Promise<string> {
  const { body, origin, request } = input;
  refuseOtherPage(ctx, input);
  const stated = await ctx.orderSource(body.order, { origin, request });
  const { ticketId } = stated;
  input.admit(ticketId ?? body.order);
  // The return URL is part of the key: the same ticket on another page starts a checkout that
  // returns to that page. The spaces in the key prevent collisions with client keys.
  const parts = [ticketId ?? body.order, origin, body.returnUrl, body.locale ?? null];
  const base = await sha256(JSON.stringify(parts));
  for (let start = 0; start < MAX_STARTS; start++) {
    const key = `start ${base} ${start}`;
    const begun = await checkoutOfKey(ctx, key, input);
    if (begun === 'ended') continue;
    // No page gets the secret: the lender would see it in the return URL, and browsers do not send
    // the companion's cookies from the shop's page. The service's notification ends this checkout.
    const checkout =
      begun ?? (await primeCheckout(ctx, { ...input, stated, key, secretHash: await noSecret() }));
    const hosted = (await presentCheckout(ctx, checkout)).presentation?.hosted;
    if (hosted?.modes.includes('redirect') === true) return hosted.url;
    throw checkout.status === 'open'
      ? new ProblemError('not-found', { detail: 'FINANCING_HOSTED_URL is not set.' })
      : new ProblemError('checkout-not-open');
  }
  // Not `checkout-not-open`, which would tell the shopper that the order is paid.
  throw new ProblemError('order-ticket-expired', {
    detail: 'The ticket has started too many checkouts: render the page again for a new one.',
  });
}

/**
 * Returns the open checkout that a key led to, so that a form that is submitted again costs two
 * reads of the store. `ended`: the checkout has ended, or a failure allows a new start. Undefined:
 * a prime with this key decides.
 */
async function checkoutOfKey(
  ctx: CheckoutContext,
  key: string,
  input: StartInput,
): Promise<CheckoutRow | 'ended' | undefined> {
  const known = await ctx.store.findIdempotency(storedKey(ctx.environment, await sha256(key)));
  if (known === undefined || known.state === 'released') return undefined;
  if (known.checkoutId === undefined) {
    const isOver = known.problem !== undefined || ctx.clock.now() >= known.leaseUntil;
    return isOver ? 'ended' : undefined;
  }
  const checkout = await ctx.store.findCheckout(known.checkoutId);
  if (checkout?.status !== 'open' || checkout.expiresAt <= ctx.clock.now()) return 'ended';
  // Two tickets with the same id: a prime refuses the second one.
  return known.fingerprint === (await fingerprintOf(input)) ? checkout : undefined;
}
