import { chargeEntries } from '../charges/ledger-entries.ts';
import { randomId } from '../platform/id.ts';
import type { AttemptRow, CheckoutRow, NewAttempt } from '../store/store.ts';
import { type Change, findCheckout, tryChangeCheckout } from './checkout.ts';
import type { CheckoutContext } from './context.ts';

export interface ChargeRequest {
  id: string;
  merchantTransactionId: string;
  /** When the request was sent, in milliseconds since 1970. */
  createdAt: number;
  /** Whether the settle was requested together with the charge. */
  settle: boolean;
  /** Whether the ledger lists the request as possibly executed. */
  isListed: boolean;
  /** Why the outcome is unknown; undefined while no outcome is recorded. */
  reason: string | undefined;
  /** How many times this request has been recorded, including this time. */
  sent: number;
}

/**
 * Maximum number of times that one request is recorded. Each retry is the same request, so this
 * limit bounds traffic, not money.
 */
export const MAX_SENT = 12;

/** Reason for a request that the service provably did not execute. */
export const ABSENT = 'absent';

/** Reasons that prove that the request has ended at the service or never reached it. */
const endedReasons = ['connection-lost', 'server-error', 'unreadable', 'too-large', 'interrupted'];

/**
 * Returns whether a request with an unknown outcome may be repeated during the grace period. After
 * a timeout it may not, because the service may still be processing the first request.
 */
export function isRepeatableAtOnce(reason: string | undefined): boolean {
  return reason === undefined || endedReasons.includes(reason);
}

/** Returns whether a request may be repeated after the grace period. */
export function isRepeatable(reason: string | undefined): boolean {
  return isRepeatableAtOnce(reason) || reason === 'timeout' || reason === 'redirect';
}

/**
 * Returns whether the service reported that the confirmation token already has its charge (code
 * 2002).
 */
export function isTokenUsed(reason: string | undefined): boolean {
  return reason?.split(' ').includes('2002') ?? false;
}

export async function lastChargeRequest(
  { settle: settles, store }: Pick<CheckoutContext, 'settle' | 'store'>,
  checkoutId: string,
): Promise<ChargeRequest | undefined> {
  const charges = chargeAttempts(await store.findAttempts(checkoutId));
  const last = charges.at(-1);
  if (last?.merchantTransactionId === undefined) return undefined;
  const { id, merchantTransactionId, createdAt, settle = settles === 'on-approval', reason } = last;
  const same = charges.filter((one) => one.merchantTransactionId === merchantTransactionId);
  // A proof of absence has withdrawn all earlier ledger entries.
  const since = same.slice(same.findLastIndex((one) => one.reason === ABSENT) + 1);
  const isListed = since.some(({ state }) => state === 'unknown');
  return { id, merchantTransactionId, createdAt, settle, isListed, reason, sent: same.length };
}

export function chargeAttempts(attempts: readonly AttemptRow[]): AttemptRow[] {
  return attempts.filter(({ kind }) => kind === 'charge');
}

/**
 * Returns the part of a change that records a charge request and its lease before the request is
 * sent.
 */
export function recordOf(
  { timing }: CheckoutContext,
  now: number,
  checkoutId: string,
  request: Pick<NewAttempt, 'id' | 'merchantTransactionId' | 'requestId' | 'settle'>,
) {
  const attentionAt = now + timing.chargeLeaseMs;
  return {
    set: { attentionAt, attentionTries: 0 },
    insertAttempt: { kind: 'charge', checkoutId, ...request },
  } as const;
}

/**
 * Records that a request is sent again, and renews the claim. The transaction id stays the same, so
 * the service sees the same request.
 * @param checkout the row that the decision was based on
 * @returns undefined when the row has changed since
 */
export async function recordRepeat(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  last: ChargeRequest,
  { reason, requestId }: { reason: string; requestId: string | undefined },
): Promise<ChargeRequest | undefined> {
  const now = ctx.clock.now();
  const id = randomId('att');
  const { merchantTransactionId, settle } = last;
  const changed = await tryChangeCheckout(ctx, checkout, {
    now,
    ...recordOf(ctx, now, checkout.id, { id, merchantTransactionId, requestId, settle }),
    updateAttempt: { id: last.id, state: 'unknown', reason },
    ledger: unknownEntries(checkout, last),
  });
  const sent = last.sent + 1;
  return changed && { ...last, id, createdAt: now, reason: undefined, sent, isListed: true };
}

/**
 * Records a retry like {@link recordRepeat}, even if the row has changed since.
 * @returns undefined when another process has taken over the request or ended it
 */
export async function renewRequest(
  ctx: CheckoutContext,
  checkoutId: string,
  last: ChargeRequest,
  why: { reason: string; requestId: string | undefined },
): Promise<ChargeRequest | undefined> {
  for (;;) {
    const checkout = await findCheckout(ctx, checkoutId);
    if (!(await isHeld(ctx, checkout, last))) return undefined;
    const recorded = await recordRepeat(ctx, checkout, last, why);
    if (recorded !== undefined) return recorded;
  }
}

/** Records how a request ended, unless another process has taken over the checkout. */
export async function endRequest(
  ctx: CheckoutContext,
  checkoutId: string,
  request: ChargeRequest,
  end: Change & { updateAttempt: NonNullable<Change['updateAttempt']> },
): Promise<CheckoutRow> {
  for (;;) {
    const checkout = await findCheckout(ctx, checkoutId);
    if (!(await isHeld(ctx, checkout, request))) {
      await ctx.store.updateAttempt(end.updateAttempt, ctx.clock.now());
      return checkout;
    }
    const isUnknown = end.updateAttempt.state === 'unknown';
    const ledger = isUnknown ? unknownEntries(checkout, request) : [];
    const changed = await tryChangeCheckout(ctx, checkout, { ...end, ledger });
    if (changed !== undefined) return changed;
  }
}

/**
 * Returns whether no other process has found the outcome of a request or taken the request over.
 */
async function isHeld(
  { store }: CheckoutContext,
  { id, status, retrySafe }: CheckoutRow,
  request: ChargeRequest,
): Promise<boolean> {
  if (status !== 'confirming' && !(status === 'unavailable' && retrySafe === false)) return false;
  const attempts = await store.findAttempts(id);
  return attempts.some((attempt) => attempt.id === request.id && attempt.state === 'recorded');
}

/**
 * Returns the ledger entries of a request that becomes unknown; none if the ledger already lists
 * the request.
 */
export function unknownEntries(checkout: CheckoutRow, request: ChargeRequest) {
  return request.isListed ? [] : chargeEntries(checkout, request, 'unknown');
}

/** Returns the part of a change that makes the outcome of a request unknown. */
export function unknownOutcome(
  { clock, timing }: CheckoutContext,
  { id }: ChargeRequest,
  { reason, serviceRequestId }: { reason: string; serviceRequestId?: string },
) {
  const attentionAt = clock.now() + timing.firstPollMs;
  return {
    set: { status: 'unavailable', retrySafe: false, attentionAt, attentionTries: 0 },
    updateAttempt: { id, state: 'unknown', serviceRequestId, reason },
  } as const;
}
