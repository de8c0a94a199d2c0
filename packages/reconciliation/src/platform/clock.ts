/** Source of time. Injected, so that a test decides when a deadline or lease ends. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `callback` once after `ms` milliseconds. The returned function cancels it. */
  after(ms: number, callback: () => void): () => void;
  /**
   * Monotonic milliseconds from any origin, unaffected when the clock is set. A clock without it is
   * assumed to run evenly.
   */
  steady?(): number;
}

/** The system clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  steady: () => performance.now(),
};

/** Maximum milliseconds that a clock may gain between two readings before it counts as set. */
const TOLERATED_MS = 1_000;

/**
 * Detects a clock that is set forward: the wall time then advances more than the monotonic time. A
 * machine that was suspended looks the same.
 * @returns the wall time since which the clock is known to run evenly; 0 is always
 */
export function watchClock(clock: Clock): () => number {
  const steady = () => clock.steady?.() ?? clock.now();
  const lead = () => clock.now() - steady();
  let known = lead();
  let evenSince: number | undefined;
  return function steadySince() {
    const found = lead();
    if (found - known > TOLERATED_MS) evenSince = steady();
    known = found;
    return evenSince === undefined ? 0 : evenSince + found;
  };
}

/** Waits for `ms` milliseconds. */
export function delay(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}

/**
 * Waits for `ms` milliseconds or until the signal aborts, which clears the timer so that it keeps
 * no process alive.
 */
export function pause(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}

/** Formats a time as ISO 8601 in UTC, as the contract does. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
