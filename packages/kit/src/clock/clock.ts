/** Time source. Injected, so that tests control when a deadline or a lease ends. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Calls `callback` once after `ms` milliseconds. @returns a function that cancels the call */
  after(ms: number, callback: () => void): () => void;
  /**
   * Returns milliseconds of a monotonic clock with an arbitrary origin. Without it, the clock is
   * assumed never to be adjusted.
   */
  steady?(): number;
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  steady: () => performance.now(),
};

/** Milliseconds that a clock may gain between two readings before it counts as set forward. */
const TOLERATED_MS = 1_000;

/**
 * Detects a clock that is set forward, which makes it seem that more time has passed. A machine
 * that resumes from sleep looks the same.
 * @returns a function that returns the time of the last forward jump, converted to the clock's
 * current setting; 0 if there was none
 */
export function watchClock(clock: Clock): () => number {
  const steady = () => clock.steady?.() ?? clock.now();
  const lead = () => clock.now() - steady();
  let lastLead = lead();
  let evenSince: number | undefined;
  return function steadySince() {
    const currentLead = lead();
    if (currentLead - lastLead > TOLERATED_MS) evenSince = steady();
    lastLead = currentLead;
    return evenSince === undefined ? 0 : evenSince + currentLead;
  };
}

/**
 * Waits for `ms` milliseconds or until the signal aborts. Aborting cancels the timer, so that it
 * does not keep the process alive.
 */
export function delay(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let cancel: () => void = () => undefined;
    const end = () => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    cancel = clock.after(ms, end);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}

/** Formats a timestamp as ISO 8601 in UTC. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
