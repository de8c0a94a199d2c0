import type { Order } from '@financing-checkout/contract/storefront';
import { orderedItemSchema } from '@financing-checkout/contract/storefront';
import { randomId, sha256 } from '../platform/id.ts';
import { type Primed, refusedConsumerFields } from '../service/prime.ts';
import { serviceProblem } from '../service/problem.ts';
import type { CallResult, Rejected } from '../service/result.ts';
import type { CheckoutRow } from '../store/store.ts';
import type { CheckoutContext } from './context.ts';
import { nextOpenPoll } from './lifecycle.ts';
import { orderHash } from './order.ts';
import {
  claimPrime,
  endOfAttempt,
  endOfFailed,
  type Prime,
  type PrimeInput,
  readPrime,
} from './prime.ts';

/**
 * Opens a session at the service, once per Idempotency-Key. If the service refuses fields of the
 * consumer, the hosted page asks the shopper for the fields that a lender needs.
 * @throws {ProblemError}
 */
export async function openSession(ctx: CheckoutContext, input: PrimeInput): Promise<CheckoutRow> {
  const { service, store } = ctx;
  const prime = await readPrime(ctx, input);
  if ('answer' in prime) return prime.answer;
  const answer = await claimPrime(ctx, prime, (claim) => store.beginPrime(claim));
  if (answer !== undefined) return answer;

  const context = { priority: 'checkout', requestId: prime.requestId } as const;
  const result = await sendOrder(
    ctx,
    prime,
    (order) => service.prime(order, context),
    ({ fields, status }) => {
      const refused = status === 400 || status === 422 ? refusedConsumerFields(fields) : [];
      return refused.length === 0 ? undefined : refused;
    },
  );
  if (result.kind !== 'accepted') {
    const problem = serviceProblem(result, { movesMoney: false });
    const end = endOfFailed(result, problem);
    await store.finishPrime({ ...endOfAttempt(ctx, prime, result), end });
    throw problem;
  }
  const checkout = await newCheckout(ctx, prime, result.body);
  await store.finishPrime({ ...endOfAttempt(ctx, prime, result), end: { checkout } });
  return checkout;
}

/**
 * Sends an order to the service. If the service refuses fields of the consumer, the request is sent
 * once more without the consumer; the refused request had no effect.
 * @param refusedFields returns the refused fields of the consumer, empty when the service does not
 * name any; undefined when the refusal has another reason
 */
export async function sendOrder<Body>(
  { counters, logger }: CheckoutContext,
  { order, attemptId, requestId }: Prime,
  send: (order: Order) => Promise<CallResult<Body>>,
  refusedFields: (result: Rejected) => string[] | undefined,
): Promise<CallResult<Body>> {
  // The correlation id links the service's notifications to this request.
  const { consumer, ...rest } = { ...order, correlationId: order.correlationId ?? attemptId };
  const result = await send(consumer === undefined ? rest : { ...rest, consumer });
  if (consumer === undefined || result.kind !== 'rejected') return result;
  const fields = refusedFields(result);
  if (fields === undefined) return result;
  const { status, serviceRequestId } = result;
  logger.log('warn', 'consumer-refused', {
    requestId,
    attemptId,
    serviceRequestId,
    status,
    fields,
  });
  counters.increment('consumer-refused');
  return send(rest);
}

/** How long a session without a usable expiry stays open, in milliseconds. */
const DEFAULT_LIFETIME_MS = 30 * 60_000;

/**
 * Returns when a new session ends, by this machine's clock. If a session seems to have already
 * ended, the service's clock is behind ours: by that date, a confirmation that the lender's page
 * accepts would be too late for the companion. The service itself knows when the session ends.
 */
function expiryOf(
  { logger }: CheckoutContext,
  { expirationDate }: Pick<Primed, 'expirationDate'>,
  now: number,
  requestId: string,
): number {
  const stated = expirationDate ? Date.parse(expirationDate) : undefined;
  if (stated !== undefined && stated > now) return stated;
  if (stated !== undefined) logger.log('warn', 'session-over-at-once', { requestId });
  return now + DEFAULT_LIFETIME_MS;
}

const storedItem = orderedItemSchema.strip();

/**
 * Returns the checkout of a session or of a link.
 * @param primed its `id` is the session token, or the link's id
 */
export async function newCheckout(
  ctx: CheckoutContext,
  { body, order, origin, requestId, secretHash }: Prime,
  primed: Pick<Primed, 'applicationId' | 'expirationDate' | 'id'>,
): Promise<CheckoutRow> {
  const createdAt = ctx.clock.now();
  const expiresAt = expiryOf(ctx, primed, createdAt, requestId);
  const applicationId = primed.applicationId ?? undefined;
  const { via } = body;
  const open = { applicationId, expiresAt, updatedAt: createdAt, via };
  return {
    id: randomId('chk'),
    environment: ctx.environment,
    merchantOrderId: order.merchantOrderId,
    amount: { value: order.totalAmount, currency: order.currency },
    status: 'open',
    retrySafe: undefined,
    revision: 1,
    sessionToken: primed.id,
    applicationId,
    origin,
    returnUrl: body.returnUrl,
    locale: body.locale,
    confirmationHash: undefined,
    secretHash,
    orderHash: await orderHash(order),
    ticketHash: await sha256(body.order),
    orderChanged: false,
    chargeId: undefined,
    chargeState: undefined,
    refundedAmount: undefined,
    taxAmount: order.taxAmount,
    shippingTaxAmount: order.shippingTaxAmount ?? 0,
    charged: undefined,
    createdAt,
    updatedAt: createdAt,
    expiresAt,
    attentionAt: nextOpenPoll(ctx, open),
    attentionTries: 0,
    shown: body.shown && ctx.programmes.keptMessage(body.shown),
    via,
    items: order.items.map((item) => storedItem.parse(item)),
  };
}
