import type { SignInProblem } from '@financing-checkout/contract';
import { AddressLimit, clientBlock, createClientAddress } from '@financing-checkout/kit';
import type { Context } from 'hono';
import type { Engine } from '../engine/engine.ts';
import { ProblemError } from '../platform/problem.ts';
import type { Env } from './env.ts';
import { addressBlock, createSessionTrail, type SessionTrail } from './session-trail.ts';

/** People mistype a token a few times; programs that guess tokens never stop. */
const FAILURES_PER_MINUTE = 10;

/** Limits failed sign-ins per client address, and records them. */
export interface SignInGuard {
  /**
   * Rejects a sign-in above the limit before checking it, so that a success does not tell a guessing
   * program that it has found a token.
   * @throws {ProblemError} `rate-limited`
   */
  check(c: Context<Env>): void;
  /**
   * Counts, logs and records a failed sign-in.
   * @param reason stable code of the cause, for the log
   */
  failed(c: Context<Env>, outcome: 'token-invalid' | SignInProblem, reason?: string): Promise<void>;
  trail: SessionTrail;
}

export function createSignInGuard(engine: Engine): SignInGuard {
  const { clock, config, logger } = engine;
  const clientAddress = createClientAddress({ ...config.listener, logger });
  const limit = new AddressLimit({ perMinute: FAILURES_PER_MINUTE, clock });
  const addressOf = (c: Context<Env>) => clientAddress(c.req.raw, c.env);
  const trail = createSessionTrail(engine);
  return {
    trail,

    check(c) {
      const waitMs = limit.waitOf(clientBlock(addressOf(c)));
      if (waitMs === undefined) return;
      throw new ProblemError('rate-limited', {
        detail: 'Too many sign-ins from this address failed. Wait as long as Retry-After says.',
        retrySafe: true,
        retryAfterSeconds: Math.ceil(waitMs / 1_000),
      });
    },

    async failed(c, outcome, reason) {
      const address = addressOf(c);
      limit.take(clientBlock(address));
      logger.log('warn', 'sign-in-failed', {
        requestId: c.get('requestId'),
        address: addressBlock(address),
        reason: outcome,
        code: reason,
      });
      await trail.failed(c, address, outcome);
    },
  };
}
