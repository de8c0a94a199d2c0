import { AddressLimit, type ClientAddress, clientBlock, type Clock } from '@financing-checkout/kit';
import type { Context } from 'hono';
import { ProblemError } from '../platform/problem.ts';
import type { Env } from './env.ts';

/** People mistype a token a few times; programs that guess tokens never stop. */
const FAILURES_PER_MINUTE = 10;

/** Limits failed sign-ins per client address. */
export interface SignInLimit {
  /**
   * Rejects a sign-in above the limit before checking its token, so that a success does not tell a
   * guessing program that it has found a token.
   * @throws {ProblemError} `rate-limited`
   */
  check(c: Context<Env>): void;
  /** Counts a failed sign-in. */
  failed(c: Context<Env>): void;
}

export function createSignInLimit(clock: Clock, clientAddress: ClientAddress): SignInLimit {
  const limit = new AddressLimit({ perMinute: FAILURES_PER_MINUTE, clock });
  const clientOf = (c: Context<Env>) => clientBlock(clientAddress(c.req.raw, c.env));
  return {
    check(c) {
      const waitMs = limit.waitOf(clientOf(c));
      if (waitMs === undefined) return;
      throw new ProblemError('rate-limited', {
        detail: 'Too many sign-ins from this address failed. Wait as long as Retry-After says.',
        retrySafe: true,
        retryAfterSeconds: Math.ceil(waitMs / 1_000),
      });
    },
    failed: (c) => void limit.take(clientOf(c)),
  };
}
