import { type Clock, delay } from '../clock/clock.ts';
import type { ServiceClient } from '../service/client.ts';
import type { CallResult } from '../service/result.ts';
import type { FetchPage } from './window.ts';

const TRIES = 8;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;

/**
 * Pages of the report with all that is missing in it. Nobody waits for a sync: it gives a service
 * that is slow, busy or away for a moment a minute to come back.
 * @param signal ends the waiting
 */
export function patientPages(service: ServiceClient, clock: Clock, signal: AbortSignal): FetchPage {
  return async function fetchPage({ from, to, offset, limit }) {
    for (let tries = 1; ; tries++) {
      const query = { operation: 'report', from, to, offset, limit, showMissing: true } as const;
      const result = await service.fundingsPage(query);
      if (result.kind === 'accepted') return { kind: 'page', bytes: result.body };
      const wait = waitOf(result, tries);
      if (wait === undefined || signal.aborted) return { kind: 'failed', reason: reasonOf(result) };
      await Promise.race([delay(clock, wait), aborted(signal)]);
    }
  };
}

type Failure = Exclude<CallResult<unknown>, { kind: 'accepted' }>;

/** Undefined: waiting does not help. */
function waitOf(result: Failure, tries: number): number | undefined {
  if (tries >= TRIES || result.kind === 'rejected') return undefined;
  if (result.reason === 'key-rejected' || result.reason === 'redirect') return undefined;
  if (result.reason === 'too-large') return undefined;
  // Longer each time, whatever is asked of us: a circuit that opens anew asks for little.
  const wait = Math.max(result.retryAfterMs ?? 0, FIRST_WAIT_MS * 2 ** (tries - 1));
  return Math.min(MAX_WAIT_MS, wait);
}

function reasonOf(result: Failure): string {
  return result.kind === 'rejected' ? `rejected with ${result.status}` : result.reason;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
