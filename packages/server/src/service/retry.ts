import type { CallResult } from './result.ts';

const MAX_TRIES = 3;
const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 2_000;

/** Milliseconds until the next try, or undefined when there must be none. */
export function retryDelay(
  method: 'GET' | 'POST',
  result: CallResult<unknown>,
  tries: number,
  random: () => number,
): number | undefined {
  if (tries >= MAX_TRIES || result.kind === 'accepted' || result.kind === 'rejected')
    return undefined;
  // Waiting for a key, for the circuit or for a place is up to the caller.
  if (
    result.kind === 'not-sent' &&
    result.reason !== 'unreachable' &&
    result.reason !== 'throttled'
  ) {
    return undefined;
  }
  if (result.kind === 'unknown') {
    // A POST that may have been done is not sent again from here. A charge request is repeated after
    // a look-up: see `createCharge` of the checkout.
    if (method === 'POST' || result.reason === 'timeout' || result.reason === 'redirect') {
      return undefined;
    }
    if (result.reason === 'unreadable' || result.reason === 'too-large') return undefined;
  }
  if (result.retryAfterMs !== undefined) return result.retryAfterMs;
  // Full jitter: companions that failed together do not come back together.
  return random() * Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (tries - 1));
}
