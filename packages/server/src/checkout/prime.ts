import type { Order, PrimeRequest } from '@financing-checkout/contract';
import { orderedItemSchema, orderTotal } from '@financing-checkout/contract';
import { randomId, sha256 } from '../platform/id.ts';
import { storedKey } from '../platform/idempotency-key.ts';
import { ProblemError } from '../platform/problem.ts';
import type { CallResult } from '../service/result.ts';
import { failureReason, serviceProblem, storedProblem } from '../service/problem.ts';
import type { CheckoutRow, IdempotencyRow } from '../store/store.ts';
import { aboveBudget, messagesAreSpent, PRIMES_MS, RECIPIENT_MS, TOKEN_MS } from './budgets.ts';
import type { CheckoutContext, StatedOrder } from './context.ts';
import {
  claimedUntil,
  joinLink,
  linkInFlight,
  linkProblem,
  newLink,
  refuseUnlinkable,
} from './link-creation.ts';
import { linkMessage, type StaffLink } from './link-message.ts';
import { linkEnd, type Opened, openLink, openSession } from './opening.ts';
import { orderHash } from './order.ts';

export interface PrimeInput {
  body: PrimeRequest;
  /** Value of the Idempotency-Key header. The store contains only its digest. */
  key: string;
  /** SHA-256 of the secret that a page needs for the checkout. @default that of the key */
  secretHash?: string;
  /** The order, where the caller has it without a ticket. */
  stated?: StatedOrder;
  /** With `via: 'link'`, of staff: how the service sends the link, its language, and the token. */
  link?: StaffLink;
  origin: string;
  request: Request;
  requestId: string;
}

/** How long a session without a usable expiry stays open, in milliseconds. */
const DEFAULT_LIFETIME_MS = 30 * 60_000;

/**
 * Primes a checkout at the service, once per Idempotency-Key. If the order has its charge, it returns
 * the approved checkout instead, of which {@link presentCheckout} shows nothing of its session.
 * @throws {ProblemError}
 */
export async function primeCheckout(ctx: CheckoutContext, input: PrimeInput): Promise<CheckoutRow> {
  const { body, origin, requestId } = input;
  const keyHash = await sha256(input.key);
  const key = storedKey(ctx.environment, keyHash);
  refuseOtherPage(ctx, input);
  const fingerprint = await sha256(
    JSON.stringify([
      origin,
      body.order,
      body.returnUrl ?? null,
      body.locale ?? null,
      ...(body.via === undefined ? [] : [body.via]),
    ]),
  );
  let stated: StatedOrder;
  try {
    stated = await readOrder(ctx, input);
  } catch (error) {
    // A key with a recorded answer repeats it, also after the ticket has become invalid.
    const known = await findAnswer(ctx, key, fingerprint);
    if (known === undefined) throw error;
    return replay(ctx, known, fingerprint);
  }
  const { order, ticketId } = stated;
  const isLink = body.via === 'link';
  const now = ctx.clock.now();
  const attemptId = randomId('att');
  const orderOf = { environment: ctx.environment, merchantOrderId: order.merchantOrderId };
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
    budget: { ...ctx.budgets, since: now - PRIMES_MS },
    now,
  } as const;
  if (isLink) {
    refuseUnlinkable(order, input.link?.delivery);
    const joined = await joinLink(ctx, order, prime);
    if (joined !== undefined) return joined;
  }
  if (ctx.oneTimeTickets && ticketId !== undefined) {
    const known = await findAnswer(ctx, key, fingerprint);
    if (known !== undefined) return replay(ctx, known, fingerprint);
    if (!(await ctx.store.claimTicket(storedKey(ctx.environment, ticketId), key, now))) {
      const all = await ctx.store.findCheckoutsOfOrder(ctx.environment, order.merchantOrderId);
      const approved = all.find(({ status }) => status === 'approved');
      if (approved !== undefined) return approved;
      throw new ProblemError('order-ticket-used', {
        detail:
          'Continue with the open checkout, or cancel it and start again. A pending checkout must end first.',
      });
    }
  }
  const begun = await ctx.store.beginPrime({
    ...prime,
    link: isLink ? { until: claimedUntil(ctx, input.link?.delivery) } : undefined,
    message: input.link && (await linkMessage(ctx, order, input.link, now)),
    leaseUntil: now + ctx.timing.leaseMs,
  });
  if (begun.kind === 'known') return replay(ctx, begun.row, fingerprint);
  if (begun.kind === 'link-taken') throw linkInFlight();
  if (begun.kind === 'order-taken') {
    const holder = await ctx.store.findCheckout(begun.checkoutId);
    // Another device does not know the checkout that created the charge, so its page shows that the
    // order is financed, or how its money was returned.
    if (holder?.status === 'approved') return holder;
    throw new ProblemError('checkout-not-open', {
      detail: 'The charge of this order exists or is being created: query its status.',
    });
  }
  if (begun.kind === 'above-budget') throw aboveBudget(begun.freeAt - now, PRIMES_MS);
  if (begun.kind === 'messages-spent') {
    ctx.counters.increment('link-messages-spent');
    const windowMs = begun.of === 'recipient' ? RECIPIENT_MS : TOKEN_MS;
    throw aboveBudget(begun.freeAt - now, windowMs, messagesAreSpent[begun.of]);
  }

  const ids = { attemptId, requestId };
  const result: CallResult<Opened> = isLink
    ? await openLink(ctx, order, input, ids)
    : await openSession(ctx, order, ids);
  const finishedAt = ctx.clock.now();
  const { serviceRequestId } = result;
  const columns = {
    secretHash: input.secretHash ?? keyHash,
    orderHash: await orderHash(order),
    ticketHash: await sha256(body.order),
    createdAt: finishedAt,
  };
  const linkOf = isLink ? orderOf : undefined;
  const ofLink = {
    correlationId: order.correlationId ?? attemptId,
    delivery: input.link?.delivery,
  };
  if (result.kind === 'accepted') {
    const checkout = newCheckout(ctx, input, order, result.body, columns);
    const link = isLink ? newLink(ctx, checkout, result.body.made, ofLink) : undefined;
    const attempt = { id: attemptId, state: 'accepted', serviceRequestId } as const;
    await ctx.store.finishPrime({ key, attempt, now: finishedAt, end: { checkout, link }, linkOf });
    return checkout;
  }
  const problem = isLink ? linkProblem(result) : serviceProblem(result, { movesMoney: false });
  // The service may have sent the link: a notification of its use completes this checkout.
  const isLost = isLink && result.kind === 'unknown' && ofLink.delivery !== undefined;
  const lost = isLost
    ? newCheckout(ctx, input, order, { id: attemptId, ...linkEnd(ctx) }, columns)
    : undefined;
  await ctx.store.finishPrime({
    key,
    linkOf,
    attempt: {
      id: attemptId,
      state: result.kind,
      serviceRequestId,
      reason: failureReason(result),
    },
    now: finishedAt,
    // Provably nothing was done: the same key may try again.
    end:
      result.kind === 'not-sent'
        ? 'released'
        : {
            problem: storedProblem(problem),
            lost: lost && { checkout: lost, link: newLink(ctx, lost, undefined, ofLink) },
          },
  });
  throw problem;
}

/** Refuses a page of another environment, or one that does not return to itself. @throws {ProblemError} */
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

/** Returns the row of a used key, unless the same request has released it. */
async function findAnswer(
  ctx: CheckoutContext,
  key: string,
  fingerprint: string,
): Promise<IdempotencyRow | undefined> {
  const known = await ctx.store.findIdempotency(key);
  return known?.state === 'released' && known.fingerprint === fingerprint ? undefined : known;
}

/** Returns the recorded answer of a key. @throws {ProblemError} */
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
  // The companion that sent it died before it recorded the answer, so the answer and the key are lost. A
  // prime moves no money, so another one does no harm.
  throw new ProblemError('outcome-unknown', {
    detail: 'The outcome of this request is unknown. Start again with a new Idempotency-Key.',
    retrySafe: true,
  });
}

/**
 * Returns when a new session ends, by this machine's clock. A session that appears to have ended
 * already was created by a clock behind ours: with that date the lender's page would accept a
 * confirmation that the companion refuses as late. The service itself knows when the session ends.
 */
function expiryOf(
  { logger }: CheckoutContext,
  { expirationDate }: Opened,
  now: number,
  requestId: string,
): number {
  const stated = expirationDate ? Date.parse(expirationDate) : undefined;
  if (stated !== undefined && stated > now) return stated;
  if (stated !== undefined) logger.log('warn', 'session-over-at-once', { requestId });
  return now + DEFAULT_LIFETIME_MS;
}

/** What is kept of an item; the other fields are left out. */
const keptItem = orderedItemSchema.strip();

function newCheckout(
  ctx: CheckoutContext,
  { body, origin, requestId }: PrimeInput,
  order: Order,
  primed: Opened,
  columns: Pick<CheckoutRow, 'secretHash' | 'orderHash' | 'ticketHash' | 'createdAt'>,
): CheckoutRow {
  const { createdAt } = columns;
  const expiresAt = expiryOf(ctx, primed, createdAt, requestId);
  return {
    id: randomId('chk'),
    environment: ctx.environment,
    merchantOrderId: order.merchantOrderId,
    amount: { value: order.totalAmount, currency: order.currency },
    status: 'open',
    retrySafe: undefined,
    revision: 1,
    sessionToken: primed.id,
    applicationId: primed.applicationId ?? undefined,
    origin,
    returnUrl: body.returnUrl,
    locale: body.locale,
    confirmationHash: undefined,
    ...columns,
    orderChanged: false,
    chargeId: undefined,
    chargeState: undefined,
    refundedAmount: undefined,
    taxAmount: order.taxAmount,
    shippingTaxAmount: order.shippingTaxAmount ?? 0,
    charged: undefined,
    updatedAt: createdAt,
    expiresAt,
    attentionAt: expiresAt,
    attentionTries: 0,
    shown: body.shown && ctx.programmes.keptMessage(body.shown),
    via: body.via,
    items: order.items.map((item) => keptItem.parse(item)),
  };
}
