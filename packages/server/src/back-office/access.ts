import {
  type AccessToken,
  createAccess,
  LOOPBACK_ACTOR,
  type Secret,
} from '@financing-checkout/kit';
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { Env } from '../platform/http/requests.ts';
import { describe, descriptionFor, type RouteDescription } from '../platform/http/openapi.ts';
import { ProblemError } from '../platform/problem.ts';

/**
 * What a token of the back office permits. Each includes `read`. Without tokens, programs on this
 * machine have `read` alone: each other scope moves money, hands out personal data, or sends messages
 * to the shop or to shoppers.
 * - `read`: read everything except personal data.
 * - `fundings`: read pages of fundings as the service sends them, with names and e-mail addresses.
 * - `webhooks`: send messages to the shop again.
 * - `links`: make links to the checkout of an order, and read their addresses: the page behind one shows
 *   the consumer's name, e-mail address and phone number. It moves no money: a shopper confirms an offer first.
 * - `money`: settle, refund and void charges, and resolve such an operation.
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

/** Returns the actor of a request: the owner of the token, and the person that the client names, if any. */
export function actorOf(c: Context<Env>, person: string | undefined): string {
  const actor = c.get('actor') ?? LOOPBACK_ACTOR;
  // A token's name has no comma, so the part before the first comma is authenticated.
  return person === undefined ? actor : `${actor}, for ${person}`;
}

/** Name of the security scheme in the OpenAPI document. */
const SCHEME = 'back-office-token';

/** Routes of the back office have no limit of their own: a quarter of the service's places is for reports. */
export const ofTokens = { none: 'callers have a token' };

/** Describes a route that needs a token with a scope. {@link requireToken} enforces it. */
export function permit(
  scope: Scope,
  route: Omit<RouteDescription, 'scope'>,
): MiddlewareHandler<Env> {
  return describe({
    ...route,
    scope,
    security: { [SCHEME]: [scope] },
    problems: [
      'invalid-request',
      'token-invalid',
      'origin-not-allowed',
      'request-too-large',
      'store-unavailable',
      'internal',
      // Every token permits `read`.
      ...(scope === 'read' ? [] : (['token-not-permitted'] as const)),
      ...(route.body === undefined ? [] : (['media-type-unsupported'] as const)),
      ...(route.problems ?? []),
    ],
  });
}

/** Requires a token with the scope of the route; without configured tokens, a program on this machine. */
export function requireToken(tokens: readonly BackOfficeToken[]): MiddlewareHandler<Env> {
  const access = createAccess({
    tokens,
    setting: 'COMPANION_BACK_OFFICE_TOKENS',
    localScopes: [],
    refuse: ({ detail, reason }) => new ProblemError(codes[reason], { detail }),
  });
  return async function requireToken(c, next) {
    const caller = await access.require(c, scopeOf(c));
    c.set('actor', caller.name);
    c.set('scopes', caller.scopes);
    await next();
  };
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

/** Returns the scope that a route needs. A route without a handler of its own (404, 405) needs `read`. */
function scopeOf(c: Context<Env>): Scope {
  const scope = descriptionFor(c)?.scope;
  if (scope !== undefined && isScope(scope)) return scope;
  // Fails closed: a new route cannot be reached before its scope is decided.
  if (matchedRoutes(c).some(({ method }) => method !== 'ALL'))
    throw new TypeError('This route has no scope.');
  return 'read';
}
