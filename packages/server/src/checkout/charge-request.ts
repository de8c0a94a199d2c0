import type { AttemptRow } from '../store/store.ts';
import type { CheckoutContext } from './context.ts';

/** A request to create a charge, as it is recorded. */
export interface ChargeRequest {
  /** Id of the recorded attempt. */
  id: string;
  merchantTransactionId: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** Whether its settle was requested with it. */
  settle: boolean;
  /** Whether the ledger lists it as one that may have been made. */
  isListed: boolean;
  /** Why its outcome is unknown; undefined while no outcome is recorded. */
  reason: string | undefined;
  /** How often this request was recorded, this time included. */
  sent: number;
}

/**
 * How often one request is recorded at most. Each repetition is the same request, so the number
 * bounds traffic, not money.
 */
export const MAX_SENT = 12;

/** The reason of a request that the service was proved not to have. */
export const ABSENT = 'absent';

/** Reasons for which the request has ended at the service, or never reached it. */
const endedReasons = new Set([
  'connection-lost',
  'server-error',
  'unreadable',
  'too-large',
  'interrupted',
]);

/**
 * Returns whether a request with an unknown outcome may be repeated before the grace is over. After a
 * timeout it may not: the service may still be working on the first one.
 */
export function hasEnded(reason: string | undefined): boolean {
  return reason === undefined || endedReasons.has(reason);
}

/** Returns whether the request may be repeated once the grace is over. */
export function isRepeatable(reason: string | undefined): boolean {
  return hasEnded(reason) || reason === 'timeout' || reason === 'redirect';
}

/** Returns whether the service said that the confirmation token has its charge (code 2002). */
export function isTokenUsed(reason: string | undefined): boolean {
  return reason?.split(' ').includes('2002') ?? false;
}

/** Returns the last request of a checkout to create its charge. */
export function chargeRequest(
  ctx: Pick<CheckoutContext, 'settle'>,
  attempts: readonly AttemptRow[],
): ChargeRequest | undefined {
  const charges = attempts.filter(({ kind }) => kind === 'charge');
  const last = charges.at(-1);
  if (last?.merchantTransactionId === undefined) return undefined;
  const { id, merchantTransactionId, createdAt, settle = ctx.settle, reason } = last;
  const same = charges.filter((one) => one.merchantTransactionId === merchantTransactionId);
  // The ledger took a request back that was proved absent.
  const since = same.slice(same.findLastIndex((one) => one.reason === ABSENT) + 1);
  const isListed = since.some(({ state }) => state === 'unknown');
  return { id, merchantTransactionId, createdAt, settle, isListed, reason, sent: same.length };
}
