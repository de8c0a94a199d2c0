import type { Clock } from '../clock/clock.ts';
import type { ServiceClient } from '../service/client.ts';
import type { CallResult } from '../service/result.ts';
import { type FetchPage, STOPPED } from './window.ts';

const TRIES = 8;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;

/**
 * Pages of the report with all that is missing in it. Nobody waits for a sync: it gives a service
 * that is slow, busy or away for a moment a minute to come back.
 * @param signal ends the waiting, for an answer too: a day may have hundreds of pages left
 */
export function patientPages(service: ServiceClient, clock: Clock, signal: AbortSignal): FetchPage {
  return async function fetchPage({ from, to, offset, limit }) {
    for (let tries = 1; !signal.aborted; tries++) {
      const query = { operation: 'report', from, to, offset, limit, showMissing: true } as const;
      const result = await unlessAborted(service.fundingsPage(query), signal);
      if (result === undefined) break;
      if (result.kind === 'accepted') return { kind: 'page', bytes: result.body };
      const wait = waitOf(result, tries);
      if (wait === undefined) return { kind: 'failed', reason: reasonOf(result) };
      await pause(clock, wait, signal);
    }
    return { kind: 'failed', reason: STOPPED };
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

/** Its end ends the timer, too: a process lives on for one that nobody waits for. */
function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, end);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
    function end() {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    }
  });
}

function unlessAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(undefined);
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
