import { addressBlock, isLoopback } from './address.ts';
import { type LimitClock, RateLimit } from './rate-limit.ts';

/**
 * The address block that counts as one client, or the reason why a request has no block of its own.
 */
export type ClientBlock =
  | { block: string }
  | { block: undefined; reason: 'loopback' | 'no-address' };

/**
 * Multiplier for the limit that all requests without an address share. Behind a local proxy that
 * does not forward client addresses, those requests are all of the traffic.
 */
const SHARED_FACTOR = 50;

/**
 * Returns the limit that all clients without an address share, derived from the limit per address.
 */
export function sharedLimit(perAddress: number): number {
  return perAddress * SHARED_FACTOR;
}

/** @param address the result of a {@link ClientAddress} */
export function clientBlock(address: string | undefined): ClientBlock {
  const block = address === undefined ? undefined : addressBlock(address);
  if (block === undefined) return { block, reason: 'no-address' };
  return isLoopback(block) ? { block: undefined, reason: 'loopback' } : { block };
}

/**
 * Rate limit per client address (per /64 for IPv6). Requests from this machine and requests without
 * a known address share one limit: they come from a local program, or from a proxy that does not
 * forward client addresses.
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

  /** Returns what {@link take} would return, without counting a request. */
  waitOf({ block }: ClientBlock): number | undefined {
    return block === undefined ? this.#shared.waitOf('shared') : this.#own.waitOf(block);
  }
}
