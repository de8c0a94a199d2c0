import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { Env } from '../platform/http/requests.ts';
import type { Secret } from '../keys/secret.ts';
import { describe, descriptionOf, type RouteDescription } from '../platform/http/openapi.ts';
import { ProblemError } from '../platform/problem.ts';

/**
 * What a token of the back office permits. Each includes `read`.
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
export interface BackOfficeToken {
  /** Letters, digits, "-", "_" and "."; begins with a letter. */
  name: string;
  /** Scopes in addition to `read`, which every token has. */
  scopes: readonly Scope[];
  secret: Secret;
}

/** Name of the token with all scopes (COMPANION_BACK_OFFICE_TOKEN). */
export const SINGLE_TOKEN_NAME = 'back-office';
/** Actor of local programs, where no token is configured. */
const LOOPBACK_ACTOR = 'loopback';

/** Returns whether a token may have a name, which must not look like another actor. */
export function isTokenName(name: string): boolean {
  return /^[A-Za-z][\w.-]{0,39}$/.test(name) && name !== LOOPBACK_ACTOR;
}

/** Returns the actor of a request: the owner of the token, and the person that the client names, if any. */
export function actorOf(c: Context<Env>, person: string | undefined): string {
  const actor = c.get('actor') ?? LOOPBACK_ACTOR;
  // A token's name has no comma, so the part before the first comma is authenticated.
  return person === undefined ? actor : `${actor}, for ${person}`;
}

const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** Fetch Metadata of requests that no other site made. Programs send none. */
const ownSites = new Set<string | undefined>([undefined, 'none', 'same-origin']);

/** Name of the security scheme in the OpenAPI document. */
const SCHEME = 'back-office-token';

/** Describes a route that needs a token with a scope. {@link requireToken} enforces it. */
export function permit(scope: Scope, route: RouteDescription): MiddlewareHandler<Env> {
  return describe({
    ...route,
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

/**
 * Requires a token with the scope of the route. Without configured tokens the listener is on loopback,
 * where every page in a local browser can reach it. So requests of pages are refused, also for images
 * and frames, which send no Origin, and with host names of a foreign DNS (rebinding).
 */
export function requireToken(tokens: readonly BackOfficeToken[]): MiddlewareHandler<Env> {
  const names = tokens.map(({ name }) => name);
  if (!names.every(isTokenName) || new Set(names).size < names.length) {
    throw new TypeError('Each back-office token needs a name of its own.');
  }
  return async function requireToken(c, next) {
    if (tokens.length === 0) {
      refusePages(c);
      c.set('actor', LOOPBACK_ACTOR);
      c.set('scopes', scopes);
    } else {
      const match = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '');
      const token = tokenOf(tokens, match?.[1] ?? '');
      if (token === undefined) {
        c.header('www-authenticate', 'Bearer');
        throw new ProblemError('token-invalid', {
          detail: 'Send "Authorization: Bearer <token>" with a back-office token.',
        });
      }
      c.set('actor', token.name);
      c.set('scopes', token.scopes);
      requireScope(c, token, scopeOf(c));
    }
    await next();
  };
}

/** Returns whether the token of a request has a scope that the route itself does not need. */
export function hasScope(c: Context<Env>, scope: Exclude<Scope, 'read'>): boolean {
  return c.get('scopes')?.includes(scope) === true;
}

/** Compares with every token, so that the time does not reveal which one is close. */
function tokenOf(
  tokens: readonly BackOfficeToken[],
  candidate: string,
): BackOfficeToken | undefined {
  let found: BackOfficeToken | undefined;
  for (const token of tokens) if (token.secret.equals(candidate)) found = token;
  return found;
}

function refusePages(c: Context<Env>): void {
  const host = c.req.header('host') ?? new URL(c.req.url).host;
  const isFromPage =
    c.req.header('origin') !== undefined || !ownSites.has(c.req.header('sec-fetch-site'));
  if (!isFromPage && loopbackHost.test(host)) return;
  throw new ProblemError('origin-not-allowed', {
    detail:
      'Without a configured back-office token, only programs on this machine may call this API.',
  });
}

function requireScope(c: Context<Env>, token: BackOfficeToken, needed: Scope): void {
  if (needed === 'read' || token.scopes.includes(needed)) return;
  c.header('www-authenticate', `Bearer error="insufficient_scope", scope="${needed}"`);
  throw new ProblemError('token-not-permitted', {
    detail: `This needs a token with the scope "${needed}".`,
  });
}

/** Returns the scope that a route needs. A route without a handler of its own (404, 405) needs `read`. */
function scopeOf(c: Context<Env>): Scope {
  const matched = matchedRoutes(c);
  const scope = matched
    .flatMap((route) => descriptionOf(route)?.security?.[SCHEME] ?? [])
    .find(isScope);
  if (scope !== undefined) return scope;
  // Fails closed: a new route cannot be reached before its scope is decided.
  if (matched.some(({ method }) => method !== 'ALL'))
    throw new TypeError('This route has no scope.');
  return 'read';
}
