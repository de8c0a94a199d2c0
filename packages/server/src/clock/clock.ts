/** Time as the companion sees it. Injected, so a test decides when a deadline or a lease ends. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `callback` once after `ms` milliseconds; the answer cancels that. */
  after(ms: number, callback: () => void): () => void;
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

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
