import { type AccessToken, createAccess } from '@financing-checkout/kit';
import { requireCaller, route } from '@financing-checkout/kit/http';
import type { Context, MiddlewareHandler } from 'hono';
import type { Env } from '../platform/http/requests.ts';
import type { Secret } from '@financing-checkout/kit';
import type { CompanionRoute } from '../platform/http/route.ts';
import { ProblemError } from '../platform/problem.ts';

/**
 * The scopes of a back-office token. Each includes `read`. Without tokens, programs on this machine
 * have only `read`, because every other scope moves money, returns personal data, or sends messages
 * to the shop or to shoppers.
 * - `read`: read everything except personal data.
 * - `fundings`: read pages of fundings as the service sends them, with names and email addresses.
 * - `webhooks`: send messages to the shop again.
 * - `links`: create links to the checkout of an order, and read their URLs: the page behind a link
 *   shows the consumer's name, email address and phone number. A link moves no money, because a
 *   shopper must confirm an offer first.
 * - `money`: settle, refund and void charges, and resolve such operations.
 */
export const scopes = ['read', 'fundings', 'webhooks', 'links', 'money'] as const;
export type Scope = (typeof scopes)[number];

export function isScope(text: string): text is Scope {
  return scopes.some((scope) => scope === text);
}

/** A bearer token of the back office. The log and resolutions show its name as the actor. */
export interface BackOfficeToken extends AccessToken<Scope> {
  secret: Secret;
}

/** Name of the token with all scopes (COMPANION_BACK_OFFICE_TOKEN). */
export const SINGLE_TOKEN_NAME = 'back-office';

/** Name of the security scheme in the OpenAPI document. */
const SCHEME = 'back-office-token';

/**
 * Back-office routes have no rate limit of their own: reports may use a quarter of the concurrent
 * calls to the service.
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

/** Returns whether the token of a request has a scope that the route itself does not need. */
export function hasScope(c: Context<Env>, scope: Exclude<Scope, 'read'>): boolean {
  return c.get('scopes')?.includes(scope) === true;
}
