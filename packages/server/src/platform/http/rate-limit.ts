import type { MiddlewareHandler } from 'hono';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { ProblemError } from '../problem.ts';
import { addressBlock, isLoopback } from './address.ts';
import type { Env } from './requests.ts';

/** Maximum number of names in memory. Above it the least recently used name is dropped first. */
const MAX_NAMES = 100_000;

/**
 * Limits requests per minute by name, with a burst of one minute's worth (generic cell rate algorithm:
 * one number for each name). Each replica counts in its own memory.
 *
 * No library: rate-limiter-flexible counts fixed windows (twice the limit across the edge of two),
 * sets a timer of the machine's clock for each name, and does not bound the names, which an attacker
 * with many addresses chooses. It would suit a limit that replicas share.
 */
export class RateLimit {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #maxNames: number;
  /** By name, the time until which its requests use up the rate. Ordered by last use. */
  readonly #usedUntil = new Map<string, number>();

  constructor(options: { perMinute: number; clock: Clock; maxNames?: number }) {
    this.#clock = options.clock;
    // A multiple of 1/1024 ms adds up exactly next to a date; rounding would lose the last request.
    this.#intervalMs = Math.floor((60_000 * 1_024) / options.perMinute) / 1_024;
    this.#maxNames = options.maxNames ?? MAX_NAMES;
  }

  /** Counts a request. @returns milliseconds to wait if the limit is reached, else undefined */
  take(name: string): number | undefined {
    const now = this.#clock.now();
    const known = this.#usedUntil.get(name) ?? 0;
    // After the clock is set back, a name must not stay blocked for the difference.
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

/** Returns the IP address that sent a request, if the runtime knows it. */
export type ClientAddress = (request: Request, env: unknown) => string | undefined;

/**
 * Factor of the limit that all requests without an address share. Behind a local proxy that does not
 * name clients, they are all shoppers together.
 */
const SHARED_FACTOR = 50;

/** Returns the shared limit of all clients without an address, from the limit of one address. */
export function sharedLimit(perAddress: number): number {
  return perAddress * SHARED_FACTOR;
}

/**
 * Limits each client address, IPv6 by its /64. Requests from this machine and requests without a known
 * address share one limit: they come from a local program, or a proxy that does not name clients. The
 * log warns once for each kind.
 */
export function limitAddresses(options: {
  /** Requests per minute; 0 is no limit. */
  perAddress: number;
  /** Without it, addresses are not limited. */
  clientAddress: ClientAddress | undefined;
  clock: Clock;
  logger: Logger;
}): MiddlewareHandler<Env>[] {
  const { perAddress, clientAddress, clock, logger } = options;
  if (perAddress === 0 || clientAddress === undefined) return [];
  const limit = new RateLimit({ perMinute: perAddress, clock });
  const shared = new RateLimit({ perMinute: sharedLimit(perAddress), clock });
  const warned = new Set<string>();

  function takeShared(reason: 'loopback' | 'no-address'): number | undefined {
    if (!warned.has(reason)) logger.log('warn', 'client-address-unknown', { reason });
    warned.add(reason);
    return shared.take('shared');
  }

  const limitAddress: MiddlewareHandler<Env> = function limitAddress(c, next) {
    // A browser hides a refused preflight from the page, which would report a network failure. The
    // request that follows is counted, and its refusal can be read.
    if (c.req.method === 'OPTIONS') return next();
    const address = clientAddress(c.req.raw, c.env);
    const block = address === undefined ? undefined : addressBlock(address);
    if (block === undefined) refuseAbove(takeShared('no-address'));
    else if (isLoopback(block)) refuseAbove(takeShared('loopback'));
    else refuseAbove(limit.take(block));
    return next();
  };
  return [limitAddress];
}

/** Limits all requests that get this far together, whoever sends them. @param perMinute 0 is no limit */
export function limitTogether(perMinute: number, clock: Clock): (() => undefined)[] {
  if (perMinute === 0) return [];
  const limit = new RateLimit({ perMinute, clock });
  return [
    function limitTogether() {
      refuseAbove(limit.take('all'));
    },
  ];
}

function refuseAbove(waitMs: number | undefined): void {
  if (waitMs === undefined) return;
  throw new ProblemError('rate-limited', {
    detail: 'Nothing was done. Wait as long as Retry-After says.',
    retrySafe: true,
    retryAfterSeconds: Math.ceil(waitMs / 1000),
  });
}
