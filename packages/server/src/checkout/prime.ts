import type { PrimeRequest } from '@financing-checkout/contract/storefront';
import { orderTotal } from '@financing-checkout/contract/storefront';
import { randomId, sha256 } from '../platform/id.ts';
import { storedKey } from '../platform/idempotency-key.ts';
import { ProblemError } from '../platform/problem.ts';
import { failureReason, storedProblem } from '../service/problem.ts';
import type { CallFailure, CallResult } from '../service/result.ts';
import type {
  CheckoutRow,
  ClaimedKey,
  FinishPrime,
  IdempotencyRow,
  KeyClaim,
  PrimeClaim,
  StoredProblem,
} from '../store/store.ts';
import { aboveBudget, windows } from './budgets.ts';
import type { CheckoutContext } from './context.ts';
import { refuseLostOrder } from './lost-charge.ts';
import type { StatedOrder } from './order-source.ts';

export interface PrimeInput {
  body: PrimeRequest;
  /** Value of the Idempotency-Key header. Only its digest is stored. */
  key: string;
  /** SHA-256 of the secret that a page needs for the checkout. @default SHA-256 of the key */
  secretHash?: string;
  /** The order, if the caller has it without a ticket. */
  stated?: StatedOrder;
  origin: string;
  request: Request;
  requestId: string;
}

/** A prime with a valid order. */
export interface Prime extends StatedOrder, Pick<PrimeInput, 'body' | 'origin' | 'requestId'> {
  secretHash: string;
  attemptId: string;
  claim: PrimeClaim;
}

/** A checkout that answers a request without a call to the service. */
interface Answered {
  answer: CheckoutRow;
}

/**
 * Reads the order of a request.
 * @returns the key's checkout instead, if the order is no longer valid
 * @throws {ProblemError}
 */
export async function readPrime(
  ctx: CheckoutContext,
  input: PrimeInput,
): Promise<Prime | Answered> {
  const { body, origin, requestId } = input;
  const { environment } = ctx;
  refuseOtherPage(ctx, input);
  const keyHash = await sha256(input.key);
  const request = {
    key: storedKey(environment, keyHash),
    fingerprint: await fingerprintOf(input),
  };
  let stated: StatedOrder;
  try {
    stated = await readOrder(ctx, input);
  } catch (error) {
    // A key with a recorded response repeats that response, even after the ticket has become
    // invalid.
    const known = await findAnswer(ctx, request);
    if (known === undefined) throw error;
    return { answer: await replay(ctx, known, request) };
  }
  const now = ctx.clock.now();
  const attemptId = randomId('att');
  return {
    ...stated,
    body,
    origin,
    requestId,
    secretHash: input.secretHash ?? keyHash,
    attemptId,
    claim: {
      ...request,
      attempt: {
        id: attemptId,
        kind: 'prime',
        checkoutId: undefined,
        merchantTransactionId: undefined,
        requestId,
      },
      order: { environment, merchantOrderId: stated.order.merchantOrderId },
      budget: { ...ctx.orderBudgets, since: now - windows.primes.ms },
      now,
    },
  };
}

/**
 * Claims the key of a prime, so that it is sent once. If the order is already charged, its approved
 * checkout answers; `presentCheckout` omits the session of such a checkout.
 * @param begin claims the key in the store
 * @returns the checkout that answers instead, or undefined when the prime may be sent
 * @throws {ProblemError}
 */
export async function claimPrime(
  ctx: CheckoutContext,
  { claim, order, requestId, ticketId }: Prime,
  begin: (claim: KeyClaim) => Promise<ClaimedKey>,
): Promise<CheckoutRow | undefined> {
  const { environment, store } = ctx;
  const { key, now } = claim;
  if (ctx.oneTimeTickets && ticketId !== undefined) {
    const known = await findAnswer(ctx, claim);
    if (known !== undefined) return replay(ctx, known, claim);
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
  await refuseLostOrder(ctx, { ...claim.order, currency: order.currency }, requestId);
  const claimed = await begin({ ...claim, leaseUntil: now + ctx.timing.leaseMs });
  switch (claimed.kind) {
    case 'begun':
      return undefined;
    case 'known':
      return replay(ctx, claimed.row, claim);
    case 'order-taken': {
      const holder = await store.findCheckout(claimed.checkoutId);
      // Another device does not know the checkout that created the charge, so the page on that
      // device shows that the order is financed, or how the money was returned.
      if (holder?.status === 'approved') return holder;
      throw new ProblemError('checkout-not-open', {
        detail: 'The charge of this order exists or is being created: query its status.',
      });
    }
    case 'above-budget':
      throw aboveBudget(windows.primes, claimed.freeAt - now);
  }
}

/** Returns how the attempt of a prime ended at the service, as the store records it. */
export function endOfAttempt(
  { clock }: CheckoutContext,
  { attemptId, claim: { key } }: Prime,
  result: CallResult<unknown>,
): Pick<FinishPrime, 'attempt' | 'key' | 'now'> {
  const { kind: state, serviceRequestId } = result;
  const reason = result.kind === 'accepted' ? undefined : failureReason(result);
  return { key, now: clock.now(), attempt: { id: attemptId, state, serviceRequestId, reason } };
}

/**
 * Returns the response to a prime that failed. If provably nothing was done, the client may retry
 * with the same key.
 */
export function endOfFailed(
  { kind }: CallFailure,
  problem: ProblemError,
): { problem: StoredProblem } | 'released' {
  return kind === 'not-sent' ? 'released' : { problem: storedProblem(problem) };
}

/** Returns the digest of a request. All requests with the same key must have the same digest. */
export function fingerprintOf({
  body,
  origin,
}: Pick<PrimeInput, 'body' | 'origin'>): Promise<string> {
  const { locale = null, order, returnUrl = null, via } = body;
  const parts = [origin, order, returnUrl, locale];
  // A request without this field keeps the fingerprint that earlier versions stored.
  return sha256(JSON.stringify(via === undefined ? parts : [...parts, via]));
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

type KeyOf = Pick<PrimeClaim, 'fingerprint' | 'key'>;

/** Returns the row of a used key, unless the same request has released the key. */
async function findAnswer(
  { store }: CheckoutContext,
  { fingerprint, key }: KeyOf,
): Promise<IdempotencyRow | undefined> {
  const known = await store.findIdempotency(key);
  return known?.state === 'released' && known.fingerprint === fingerprint ? undefined : known;
}

/** Returns the recorded response for a key. @throws {ProblemError} */
async function replay(
  ctx: CheckoutContext,
  known: IdempotencyRow,
  { fingerprint }: KeyOf,
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
