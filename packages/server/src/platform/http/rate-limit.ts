import type { MiddlewareHandler } from 'hono';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { ProblemError } from '../problem.ts';
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
 * How many addresses' worth the requests without an address share: behind a proxy on this machine
 * that names no client they are all shoppers at once.
 */
const SHARED_FACTOR = 50;

/** Returns the requests a minute that all clients without an address share, by the limit of one address. */
export function sharedLimit(perAddress: number): number {
  return perAddress * SHARED_FACTOR;
}

/**
 * Limits each client address; IPv6 by its /64, which is what one customer of a provider has.
 * Requests from this very machine, and those of which the runtime knows no address, share one limit:
 * a proxy that names no client sends them, or a program here. The log says so once.
 */
export function limitAddresses(options: {
  perAddress: number;
  clientAddress: ClientAddress;
  clock: Clock;
  logger: Logger;
}): MiddlewareHandler<Env> {
  const { perAddress, clientAddress, clock, logger } = options;
  const limit = new RateLimit({ perMinute: perAddress, clock });
  const shared = new RateLimit({ perMinute: sharedLimit(perAddress), clock });
  const warned = new Set<string>();

  function takeShared(reason: 'loopback' | 'no-address'): number | undefined {
    if (!warned.has(reason)) logger.log('warn', 'client-address-unknown', { reason });
    warned.add(reason);
    return shared.take('shared');
  }

  return function limitAddresses(c, next) {
    // A browser tells a page nothing of a preflight that is refused: the page would take it for a
    // network that failed. The request itself is counted, and refused in words.
    if (c.req.method === 'OPTIONS') return next();
    const address = clientAddress(c.req.raw, c.env);
    const block = address === undefined ? undefined : addressBlock(address);
    if (block === undefined) refuseAbove(takeShared('no-address'));
    else if (isLoopbackBlock(block)) refuseAbove(takeShared('loopback'));
    else refuseAbove(limit.take(block));
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
