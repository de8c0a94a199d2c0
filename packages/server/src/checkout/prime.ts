import type { Order, PrimeRequest } from '@financing-checkout/contract';
import { orderTotal } from '@financing-checkout/contract';
import { storedKey } from '../idempotency/key.ts';
import { ProblemError } from '../platform/problem.ts';
import { type Primed, refusedConsumerFields } from '../service/prime.ts';
import type { CallFailure, CallResult } from '../service/result.ts';
import type { AttemptResult, CheckoutRow, IdempotencyRow, StoredProblem } from '../store/store.ts';
import { aboveBudget, PRIMES_MS } from './budgets.ts';
import { type CheckoutContext, DEFAULT_LIFETIME_MS, type StatedOrder } from './context.ts';
import { orderHash } from './drift.ts';
import { randomId, sha256 } from '../platform/id.ts';
import { reversalOfCheckout } from './presentation.ts';
import { serviceProblem } from './service-problem.ts';

export interface PrimeInput {
  body: PrimeRequest;
  /** Value of the Idempotency-Key header. The store has its digest only. */
  key: string;
  /** SHA-256 of the secret that a page needs for the checkout. @default that of the key */
  secretHash?: string;
  origin: string;
  request: Request;
  requestId: string;
}

/**
 * Primes a checkout at the service, once per Idempotency-Key. Where money of the order's charge went
 * back since, returns the checkout of that charge instead.
 * @throws {ProblemError}
 */
export async function primeCheckout(ctx: CheckoutContext, input: PrimeInput): Promise<CheckoutRow> {
  const { body, origin, requestId } = input;
  const keyHash = await sha256(input.key);
  const key = storedKey(ctx.environment, keyHash);
  if (body.environment !== ctx.environment) {
    throw new ProblemError('environment-mismatch', {
      detail: `This companion is set to "${ctx.environment}": give the element the same environment and its public key.`,
    });
  }
  if (body.returnUrl !== undefined && new URL(body.returnUrl).origin !== origin) {
    throw new ProblemError('invalid-request', {
      errors: [{ path: 'returnUrl', message: 'must be on the origin of the page' }],
    });
  }
  const fingerprint = await sha256(
    JSON.stringify([origin, body.order, body.returnUrl ?? null, body.locale ?? null]),
  );
  let stated: StatedOrder;
  try {
    stated = await stateOrder(ctx, input);
  } catch (error) {
    // A key that has its answer gives it again, whatever has become of the ticket meanwhile.
    const known = await answered(ctx, key, fingerprint);
    if (known === undefined) throw error;
    return replay(ctx, known, fingerprint);
  }
  const { order, ticketId } = stated;
  const now = ctx.clock.now();
  if (ctx.oneTimeTickets && ticketId !== undefined) {
    const known = await answered(ctx, key, fingerprint);
    if (known !== undefined) return replay(ctx, known, fingerprint);
    if (!(await ctx.store.claimTicket(storedKey(ctx.environment, ticketId), key, now))) {
      throw new ProblemError('order-ticket-used', {
        detail:
          'Go on with the checkout that is open, or cancel it and start again. One that is pending has to end first.',
      });
    }
  }
  const attemptId = randomId('att');
  const begun = await ctx.store.beginPrime({
    key,
    fingerprint,
    attempt: {
      id: attemptId,
      kind: 'prime',
      checkoutId: undefined,
      merchantTransactionId: undefined,
      requestId,
    },
    order: { environment: ctx.environment, merchantOrderId: order.merchantOrderId },
    budget: { ...ctx.budgets, since: now - PRIMES_MS },
    now,
    leaseUntil: now + ctx.waits.leaseMs,
  });
  if (begun.kind === 'known') return replay(ctx, begun.row, fingerprint);
  if (begun.kind === 'order-taken') {
    const holder = await ctx.store.findCheckout(begun.checkoutId);
    // The page says so: another device knows nothing of the checkout that made the charge.
    if (holder !== undefined && reversalOfCheckout(holder) !== undefined) return holder;
    throw new ProblemError('checkout-not-open', {
      detail: 'This order has a charge already, or one is being made: ask for its status.',
    });
  }
  if (begun.kind === 'above-budget') throw aboveBudget(begun.freeAt - now, PRIMES_MS);

  const result = await openSession(ctx, order, { attemptId, requestId });
  const finishedAt = ctx.clock.now();
  if (result.kind === 'accepted') {
    const attempt: AttemptResult = {
      id: attemptId,
      state: 'accepted',
      serviceRequestId: result.serviceRequestId,
    };
    const hashes = {
      secretHash: input.secretHash ?? keyHash,
      orderHash: await orderHash(order),
      ticketHash: await sha256(body.order),
    };
    const expiresAt = expiryOf(ctx, result.body, finishedAt, requestId);
    const checkout = newCheckout(ctx, input, order, hashes, {
      primed: result.body,
      now: finishedAt,
      expiresAt,
    });
    await ctx.store.finishPrime({ key, attempt, now: finishedAt, end: { checkout } });
    return checkout;
  }
  const attempt: AttemptResult = {
    id: attemptId,
    state: result.kind,
    serviceRequestId: result.serviceRequestId,
    reason: failureReason(result),
  };
  const problem = serviceProblem(result, { movesMoney: false });
  await ctx.store.finishPrime({
    key,
    attempt,
    now: finishedAt,
    // Provably nothing was done: the same key may try again.
    end: result.kind === 'not-sent' ? 'released' : { problem: storedProblem(problem) },
  });
  throw problem;
}

/**
 * Opens a session at the service. When the service refuses fields of the consumer, the request is
 * sent once more without the consumer: the refused one did nothing, and the hosted page asks the
 * shopper for what a lender needs.
 */
async function openSession(
  { service, logger, counters }: CheckoutContext,
  order: Order,
  { attemptId, requestId }: { attemptId: string; requestId: string },
): Promise<CallResult<Primed>> {
  // The correlation id joins the service's notifications to this request.
  const { consumer, ...rest } = { ...order, correlationId: order.correlationId ?? attemptId };
  const result = await service.prime(
    consumer === undefined ? rest : { ...rest, consumer },
    requestId,
  );
  if (consumer === undefined || result.kind !== 'rejected') return result;
  if (result.status !== 400 && result.status !== 422) return result;
  const fields = refusedConsumerFields(result.fields);
  if (fields.length === 0) return result;
  const { status, serviceRequestId } = result;
  logger.log('warn', 'consumer-refused', {
    requestId,
    attemptId,
    serviceRequestId,
    status,
    fields,
  });
  counters.increment('consumer-refused');
  return service.prime(rest, requestId);
}

/** The order of a request. @throws {ProblemError} */
async function stateOrder(
  ctx: CheckoutContext,
  { body, origin, request }: PrimeInput,
): Promise<StatedOrder> {
  const stated = await ctx.orderSource(body.order, { origin, request });
  checkOrder(stated.order);
  return stated;
}

/** A key that was used, unless it was given back by the same request. */
async function answered(
  ctx: CheckoutContext,
  key: string,
  fingerprint: string,
): Promise<IdempotencyRow | undefined> {
  const known = await ctx.store.findIdempotency(key);
  return known?.state === 'released' && known.fingerprint === fingerprint ? undefined : known;
}

/** The answer a key already has. */
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
  // The companion that sent it died before it could write down the answer: that answer is lost,
  // and the key with it. A prime moves no money, so another one does no harm.
  throw new ProblemError('outcome-unknown', {
    detail: 'What became of this request is not known. Start again with a new Idempotency-Key.',
    retrySafe: true,
  });
}

function checkOrder(order: Order): void {
  if (orderTotal(order) !== order.totalAmount) {
    throw new ProblemError('order-totals-mismatch', {
      detail:
        'items + warranties (once a line) − discounts + tax + shipping + tax on shipping must equal totalAmount, in minor units.',
    });
  }
}

/**
 * When a session that was just made ends, by our clock. One that is over already was made by a clock
 * that is behind ours: by that date the shopper would be shown the lender's page, and whatever they
 * confirm there would come too late. The service itself knows when its session is over.
 */
function expiryOf(
  { logger }: CheckoutContext,
  { expirationDate }: Primed,
  now: number,
  requestId: string,
): number {
  const stated = expirationDate ? Date.parse(expirationDate) : undefined;
  if (stated !== undefined && stated > now) return stated;
  if (stated !== undefined) logger.log('warn', 'session-over-at-once', { requestId });
  return now + DEFAULT_LIFETIME_MS;
}

function newCheckout(
  ctx: CheckoutContext,
  input: PrimeInput,
  order: Order,
  hashes: Pick<CheckoutRow, 'secretHash' | 'orderHash' | 'ticketHash'>,
  { primed, now, expiresAt }: { primed: Primed; now: number; expiresAt: number },
): CheckoutRow {
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
    origin: input.origin,
    returnUrl: input.body.returnUrl,
    locale: input.body.locale,
    confirmationHash: undefined,
    ...hashes,
    orderChanged: false,
    chargeId: undefined,
    chargeState: undefined,
    refundedAmount: undefined,
    taxAmount: order.taxAmount,
    shippingTaxAmount: order.shippingTaxAmount ?? 0,
    charged: undefined,
    createdAt: now,
    updatedAt: now,
    expiresAt,
    attentionAt: expiresAt,
    attentionTries: 0,
  };
}

export function failureReason(failure: CallFailure): string {
  return failure.kind === 'rejected'
    ? [failure.status, ...failure.codes].join(' ')
    : failure.reason;
}

/** A problem as an idempotency key keeps it. */
export function storedProblem(problem: ProblemError): StoredProblem {
  const { detail, retrySafe, serviceRequestId, errors } = problem.extras;
  return { code: problem.code, detail, retrySafe, serviceRequestId, errors };
}
