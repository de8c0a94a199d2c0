import type { SignInProblem } from '@financing-checkout/contract/reconciliation';
import { AddressLimit, clientBlock, createClientAddress } from '@financing-checkout/kit';
import type { Context } from 'hono';
import type { Engine } from '../engine/engine.ts';
import { ProblemError } from '../platform/problem.ts';
import { addressBlock, type SignInTrail } from '../sign-in/trail.ts';
import type { Env } from './context.ts';
import type { Budget } from './operation.ts';

/** People mistype a token a few times. Programs that guess tokens exceed this limit. */
const FAILURES_PER_MINUTE = 10;

/**
 * Kinds of failures. Each has a separate budget per client address, so that one kind cannot exhaust the
 * others.
 */
export type SignInBudget = Extract<Budget, 'sign-ins' | 'returns' | 'logouts'>;

/** Limits failed sign-ins per client address, and records them. */
export interface SignInGuard {
  /**
   * Rejects a sign-in above the limit before checking it, so that success does not reveal a guessed token.
   * @throws {ProblemError} `rate-limited`
   */
  check(c: Context<Env>, budget: SignInBudget): void;
  /**
   * Counts, logs and records a failed sign-in; writes nothing above the limit.
   * @param reason stable code of the cause, for the log
   * @param issuer the provider's issuer if it differs from the configured one
   * @throws {ProblemError} `rate-limited`
   */
  failed(
    c: Context<Env>,
    budget: SignInBudget,
    outcome: 'token-invalid' | SignInProblem,
    reason?: string,
    issuer?: string,
  ): Promise<void>;
}

/** The provider has authenticated these people, so they do not count toward their address's limit. */
const vouched = new Set<string>(['no-role', 'no-name', 'too-many-groups']);

export function createSignInGuard(engine: Engine, trail: SignInTrail): SignInGuard {
  const { clock, config, logger } = engine;
  const clientAddress = createClientAddress({ ...config.listener, logger });
  const limit = () => new AddressLimit({ perMinute: FAILURES_PER_MINUTE, clock });
  const limits = { 'sign-ins': limit(), returns: limit(), logouts: limit() };
  const addressOf = (c: Context<Env>) => clientAddress(c.req.raw, c.env);
  return {
    check(c, budget) {
      refuseAbove(limits[budget].waitOf(clientBlock(addressOf(c))));
    },

    async failed(c, budget, outcome, reason, issuer) {
      const address = addressOf(c);
      if (!vouched.has(outcome)) refuseAbove(limits[budget].take(clientBlock(address)));
      logger.log('warn', 'sign-in-failed', {
        requestId: c.get('requestId'),
        address: addressBlock(address),
        reason: outcome,
        code: reason,
        issuer,
      });
      await trail.failed(address, outcome);
    },
  };
}

function refuseAbove(waitMs: number | undefined): void {
  if (waitMs === undefined) return;
  throw new ProblemError('rate-limited', {
    detail: 'Too many sign-ins from this address failed. Wait as long as Retry-After says.',
    retrySafe: true,
    retryAfterSeconds: Math.ceil(waitMs / 1_000),
  });
}
