import type { CallResult } from './result.ts';

const MAX_TRIES = 3;
const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 2_000;

/** Returns the milliseconds until the next attempt, or undefined when the call is not retried. */
export function retryDelay(
  method: 'GET' | 'POST',
  result: CallResult<unknown>,
  tries: number,
  random: () => number,
): number | undefined {
  if (tries >= MAX_TRIES || !isRetryable(method, result)) return undefined;
  if (result.retryAfterMs !== undefined) return result.retryAfterMs;
  // Full jitter: companions that failed together do not retry together.
  return random() * Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (tries - 1));
}

function isRetryable(method: 'GET' | 'POST', result: CallResult<unknown>): boolean {
  switch (result.kind) {
    case 'accepted':
    case 'rejected':
      return false;
    case 'not-sent':
      // The caller decides whether to wait for a key, the circuit or a slot.
      return result.reason === 'unreachable' || result.reason === 'throttled';
    case 'unknown':
      // A POST that may have been executed is not retried here. A charge request is retried after a
      // lookup: see the checkout's `createCharge`.
      return (
        method === 'GET' &&
        (result.reason === 'connection-lost' || result.reason === 'server-error')
      );
  }
}
