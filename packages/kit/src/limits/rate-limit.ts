/** Time source. `now` is milliseconds since the Unix epoch. */
export interface LimitClock {
  now(): number;
}

/** Maximum number of names in memory. Beyond that, the least recently used name is evicted. */
const MAX_NAMES = 100_000;

/**
 * Limits requests per minute by name, with a burst of one minute's worth (generic cell rate
 * algorithm: one number per name). Each replica counts in its own memory.
 *
 * No library: rate-limiter-flexible counts fixed windows (which admit twice the limit across a
 * window boundary), sets a real timer for each name, and does not bound the number of names, which
 * an attacker with many addresses controls. It would suit a limit that is shared across replicas.
 */
export class RateLimit {
  readonly #clock: LimitClock;
  readonly #intervalMs: number;
  readonly #maxNames: number;
  /** For each name, the time until which past requests have used up its rate. Ordered by last use. */
  readonly #usedUntil = new Map<string, number>();

  constructor(options: { perMinute: number; clock: LimitClock; maxNames?: number }) {
    this.#clock = options.clock;
    // Multiples of 1/1024 ms add exactly to an epoch timestamp; a rounding error would lose the
    // last request.
    this.#intervalMs = Math.floor((60_000 * 1_024) / options.perMinute) / 1_024;
    this.#maxNames = options.maxNames ?? MAX_NAMES;
  }

  /** Counts a request. @returns milliseconds to wait if the limit is reached, else undefined */
  take(name: string): number | undefined {
    const now = this.#clock.now();
    const { usedUntil, excess } = this.#next(name, now);
    if (excess !== undefined) return excess;
    this.#usedUntil.delete(name);
    this.#usedUntil.set(name, usedUntil);
    this.#forgetIdle(now);
    return undefined;
  }

  /** Returns what {@link take} would return, without counting a request. */
  waitOf(name: string): number | undefined {
    return this.#next(name, this.#clock.now()).excess;
  }

  get size(): number {
    return this.#usedUntil.size;
  }

  #next(name: string, now: number): { usedUntil: number; excess: number | undefined } {
    const known = this.#usedUntil.get(name) ?? 0;
    // Setting the clock back must not keep a name blocked.
    if (known > now + 60_001) this.#usedUntil.set(name, now + 60_000);
    const usedUntil = Math.max(now, Math.min(known, now + 60_000)) + this.#intervalMs;
    const excess = usedUntil - now - 60_000;
    return { usedUntil, excess: excess > 0 ? excess : undefined };
  }

  #forgetIdle(now: number): void {
    for (const [name, usedUntil] of this.#usedUntil) {
      if (usedUntil > now && this.#usedUntil.size <= this.#maxNames) return;
      this.#usedUntil.delete(name);
    }
  }
}
