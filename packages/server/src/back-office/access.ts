import { createAccess } from '@financing-checkout/kit';
import { requireCaller, route } from '@financing-checkout/kit/http';
import type { Context, MiddlewareHandler } from 'hono';
import { type BackOfficeToken, type Scope, scopes } from '../config/scopes.ts';
import type { Env } from '../platform/http/requests.ts';
import type { CompanionRoute } from '../platform/http/route.ts';
import { ProblemError } from '../platform/problem.ts';

/** Name of the security scheme in the OpenAPI document. */
const SCHEME = 'back-office-token';

/**
 * Back-office routes have no rate limit of their own; reports may use at most a quarter of the
 * concurrent calls to the service.
 */
export const ofTokens = { none: 'callers have a token' };

/** Creates a route that needs a token with a scope. {@link requireToken} enforces it. */
export function permit<const Described extends Omit<CompanionRoute, 'scope'>>(
  scope: Scope,
  described: Described,
) {
  return route({
    ...described,
    scope,
    security: [{ [SCHEME]: [scope] }],
    problems: [
      'invalid-request',
      'token-invalid',
      'origin-not-allowed',
      'environment-mismatch',
      'request-too-large',
      'store-unavailable',
      'internal',
      // Every token permits `read`.
      ...(scope === 'read' ? [] : (['token-not-permitted'] as const)),
      ...(described.body === undefined ? [] : (['media-type-unsupported'] as const)),
      ...(described.problems ?? []),
    ],
  });
}

/**
 * Requires a token with the route's scope or, if no tokens are configured, a program on this
 * machine.
 */
export function requireToken(tokens: readonly BackOfficeToken[]): MiddlewareHandler<Env> {
  const access = createAccess({
    tokens,
    setting: 'COMPANION_BACK_OFFICE_TOKENS',
    localScopes: [],
    refuse: ({ detail, reason }) => new ProblemError(codes[reason], { detail }),
  });
  return requireCaller(access, scopes);
}

const codes = {
  unauthenticated: 'token-invalid',
  'not-permitted': 'token-not-permitted',
  'not-local': 'origin-not-allowed',
} as const;

/** Returns whether a request's token has a scope that its route does not require. */
export function hasScope(c: Context<Env>, scope: Exclude<Scope, 'read'>): boolean {
  return c.get('scopes')?.includes(scope) === true;
}
