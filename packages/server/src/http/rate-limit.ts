import type { MiddlewareHandler } from 'hono';
import type { Clock } from '../clock/clock.ts';
import { ProblemError } from '../problem/problem.ts';
import { addressBlock, isLoopbackBlock } from './address-block.ts';
import type { Env } from './requests.ts';

/** Names that are remembered; a flood from more addresses than this forgets the quietest first. */
const MAX_NAMES = 100_000;

/**
 * Lets so many requests a minute through by name, a minute's worth at once at most (the generic
 * cell rate algorithm: one number for each name). Counted in memory: each replica by itself.
 *
 * Written here, against the rule to take a library: rate-limiter-flexible counts fixed windows, twice
 * the limit across the edge of two, with a timer of the machine's clock for each name and no bound on
 * names, which whoever sends from many addresses chooses. It would be the one for a limit that
 * replicas share.
 */
export class RateLimit {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #maxNames: number;
  /** When the requests taken so far would have come one by one. Ordered by last use. */
  readonly #usedUntil = new Map<string, number>();

  constructor(options: { perMinute: number; clock: Clock; maxNames?: number }) {
    this.#clock = options.clock;
    // In parts of a millisecond that add up exactly beside a date: else the last one has no room.
    this.#intervalMs = Math.floor((60_000 * 1_024) / options.perMinute) / 1_024;
    this.#maxNames = options.maxNames ?? MAX_NAMES;
  }

  /** Counts a request. Milliseconds to wait when there is no room for it, otherwise undefined. */
  take(name: string): number | undefined {
    const now = this.#clock.now();
    const known = this.#usedUntil.get(name) ?? 0;
    // A clock that was set back must not shut a name out for as long as it was off.
    if (known > now + 60_001) this.#usedUntil.set(name, now + 60_000);
    const usedUntil = Math.max(now, Math.min(known, now + 60_000)) + this.#intervalMs;
    const excess = usedUntil - now - 60_000;
    if (excess > 0) return excess;
    this.#usedUntil.delete(name);
    this.#usedUntil.set(name, usedUntil);
    this.#forgetIdle(now);
    return undefined;
  }

  get size(): number {
    return this.#usedUntil.size;
  }

  #forgetIdle(now: number): void {
    for (const [name, usedUntil] of this.#usedUntil) {
      if (usedUntil > now && this.#usedUntil.size <= this.#maxNames) return;
      this.#usedUntil.delete(name);
    }
  }
}

/** Who sent a request, as far as the runtime knows: an IP address. */
export type ClientAddress = (request: Request, env: unknown) => string | undefined;

/**
 * Limits each client address; IPv6 by its /64, which is what one customer of a provider has. A
 * client on this very machine is not limited: behind a local proxy that names nobody it would be
 * all shoppers at once.
 */
export function limitAddresses(
  limit: RateLimit,
  clientAddress: ClientAddress,
): MiddlewareHandler<Env> {
  return function limitAddresses(c, next) {
    // A browser tells a page nothing of a preflight that is refused: the page would take it for a
    // network that failed. The request itself is counted, and refused in words.
    if (c.req.method === 'OPTIONS') return next();
    const address = clientAddress(c.req.raw, c.env);
    const block = address === undefined ? undefined : addressBlock(address);
    if (block !== undefined && !isLoopbackBlock(block)) refuseAbove(limit.take(block));
    return next();
  };
}

/** Limits all requests with the public key together. Comes after the check of that key. */
export function limitKey(limit: RateLimit): () => undefined {
  return function limitKey() {
    refuseAbove(limit.take('public-key'));
  };
}

function refuseAbove(waitMs: number | undefined): void {
  if (waitMs === undefined) return;
  throw new ProblemError('rate-limited', {
    detail: 'Nothing was done. Wait as long as Retry-After says.',
    retrySafe: true,
    retryAfterSeconds: Math.ceil(waitMs / 1000),
  });
}
