/** Time as the companion sees it. Injected, so a test decides when a deadline or a lease ends. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `callback` once after `ms` milliseconds; the answer cancels that. */
  after(ms: number, callback: () => void): () => void;
  /**
   * Milliseconds that pass evenly, whatever the clock is set to, from any beginning. A clock without it
   * is believed never to be set.
   */
  steady?(): number;
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  steady: () => performance.now(),
};

/** How far a clock may get ahead between two looks at it and not be taken for set, in milliseconds. */
const TOLERATED_MS = 1_000;

/**
 * Watches for a clock that is set forward: more time seems to have passed then than has. A machine
 * that was suspended looks the same.
 * @returns by the clock as it is set now, since when it runs evenly as far as is known; 0 is always
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

/** Waits `ms` milliseconds. */
export function delay(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}

/** ISO 8601 in UTC, as the contract writes times. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
