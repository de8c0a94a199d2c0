import { addressBlock, isLoopback } from './address.ts';
import { type LimitClock, RateLimit } from './rate-limit.ts';

/** The block of addresses that counts as one client, or why a request has none of its own. */
export type ClientBlock =
  { block: string } | { block: undefined; reason: 'loopback' | 'no-address' };

/**
 * Factor of the limit that all requests without an address share. Behind a local proxy that does not
 * name clients, they are all clients together.
 */
const SHARED_FACTOR = 50;

/** Returns the shared limit of all clients without an address, from the limit of one address. */
export function sharedLimit(perAddress: number): number {
  return perAddress * SHARED_FACTOR;
}

/** @param address what a {@link ClientAddress} returned */
export function clientBlock(address: string | undefined): ClientBlock {
  const block = address === undefined ? undefined : addressBlock(address);
  if (block === undefined) return { block, reason: 'no-address' };
  return isLoopback(block) ? { block: undefined, reason: 'loopback' } : { block };
}

/**
 * Limits each client address, IPv6 by its /64. Requests from this machine and requests without a known
 * address share one limit: they come from a local program, or a proxy that does not name clients.
 */
export class AddressLimit {
  readonly #own: RateLimit;
  readonly #shared: RateLimit;

  constructor({ perMinute, clock }: { perMinute: number; clock: LimitClock }) {
    this.#own = new RateLimit({ perMinute, clock });
    this.#shared = new RateLimit({ perMinute: sharedLimit(perMinute), clock });
  }

  /** Counts a request. @returns milliseconds to wait if the limit is reached, else undefined */
  take({ block }: ClientBlock): number | undefined {
    return block === undefined ? this.#shared.take('shared') : this.#own.take(block);
  }

  /** Returns what {@link take} would return, and counts nothing. */
  waitOf({ block }: ClientBlock): number | undefined {
    return block === undefined ? this.#shared.waitOf('shared') : this.#own.waitOf(block);
  }
}
