import {
  AddressLimit,
  type ClientAddress,
  clientBlock,
  RateLimit,
  type Clock,
} from '@financing-checkout/kit';
import type { Context, MiddlewareHandler } from 'hono';
import type { Logger } from '../logger.ts';
import { ProblemError } from '../problem.ts';
import type { Env } from './requests.ts';

/**
 * Rate limit per client address. The log warns once for each kind of request without an address,
 * see {@link AddressLimit}.
 */
export function limitAddresses(options: {
  /** Requests per minute; 0 means no limit. */
  perAddress: number;
  /** If undefined, there is no limit per address. */
  clientAddress: ClientAddress | undefined;
  /**
   * Returns whether a request comes from a page of another origin; such requests have a separate
   * budget.
   * @default no request does
   */
  isForeign?: (c: Context<Env>) => boolean;
  clock: Clock;
  logger: Logger;
}): MiddlewareHandler<Env>[] {
  const { perAddress, clientAddress, isForeign = () => false, clock, logger } = options;
  if (perAddress === 0 || clientAddress === undefined) return [];
  const limit = new AddressLimit({ perMinute: perAddress, clock });
  const foreign = new AddressLimit({ perMinute: perAddress, clock });
  const warned = new Set<string>();

  const limitAddress: MiddlewareHandler<Env> = function limitAddress(c, next) {
    // A browser hides a refused preflight from the page, which would report a network failure. The
    // actual request that follows is counted, and the page can read its refusal.
    if (c.req.method === 'OPTIONS') return next();
    const client = clientBlock(clientAddress(c.req.raw, c.env));
    if (client.block === undefined && !warned.has(client.reason)) {
      warned.add(client.reason);
      logger.log('warn', 'client-address-unknown', { reason: client.reason });
    }
    refuseAbove((isForeign(c) ? foreign : limit).take(client));
    return next();
  };
  return [limitAddress];
}

/**
 * Rate limit for all requests that get this far, regardless of the sender. @param perMinute 0 means
 * no limit
 */
export function limitTogether(perMinute: number, clock: Clock): (() => undefined)[] {
  if (perMinute === 0) return [];
  const limit = limitEach(perMinute, clock);
  return [
    function limitTogether() {
      limit('all');
    },
  ];
}

/**
 * Rate limit per name. @param perMinute 0 means no limit
 * @returns a function that counts a request, and throws `rate-limited` above the limit
 */
export function limitEach(perMinute: number, clock: Clock): (name: string) => void {
  if (perMinute === 0) return () => undefined;
  const limit = new RateLimit({ perMinute, clock });
  return function limitEach(name) {
    refuseAbove(limit.take(name));
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
