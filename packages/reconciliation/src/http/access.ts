import { type Access, createAccess } from '@financing-checkout/kit';
import type { Context, MiddlewareHandler } from 'hono';
import type { Configuration } from '../config/config.ts';
import { type AccessToken, localScopes, reservedNames, type Scope } from '../config/tokens.ts';
import { ProblemError } from '../platform/problem.ts';
import type { Env } from './env.ts';
import { type Operation, operationFinder, routeOf } from './operation.ts';
import { requireOwnPage } from './pages.ts';
import type { Sessions } from './sessions.ts';

/** Returns the actor of a request: the owner of its token, and the person that the client names. */
export function actorOf(c: Context<Env>, person: string | undefined): string {
  // A token's name contains no comma: the text before the first comma is authenticated.
  return person === undefined ? c.get('actor') : `${c.get('actor')}, for ${person}`;
}

const codes = {
  unauthenticated: 'token-invalid',
  'not-permitted': 'token-not-permitted',
  'not-local': 'origin-not-allowed',
} as const;

/** Creates the access to the API. Without tokens it also serves the console, and no other page. */
export function createApiAccess({ listener, tokens }: Configuration): Access<AccessToken> {
  return createAccess({
    tokens,
    setting: 'RECONCILIATION_TOKENS',
    localScopes,
    reservedNames,
    refuse: ({ detail, reason }) => new ProblemError(codes[reason], { detail }),
    requireOwnPage: (request) => requireOwnPage(request, listener.url),
  });
}

export interface AccessOptions {
  access: Access<AccessToken>;
  sessions: Sessions;
  operations: readonly Operation[];
}

/** Requires a token or a session of the console with the operation's scope. */
export function requireAccess(options: AccessOptions): MiddlewareHandler<Env> {
  const { access, sessions } = options;
  const scopeOf = scopesOf(options.operations);
  return async function requireAccess(c, next) {
    const session = async () => (await sessions.find(c))?.token;
    const { name, scopes } = await access.require(c, scopeOf(c), session);
    c.set('actor', name);
    c.set('scopes', scopes);
    await next();
  };
}

/**
 * Returns a function that finds the scope of a request by its route's operation. A route without
 * its own answer (404, 405) needs `read`.
 */
function scopesOf(operations: readonly Operation[]): (c: Context<Env>) => Scope {
  const operationOf = operationFinder(operations);
  return function scopeOf(c) {
    const route = routeOf(c);
    if (route === undefined) return 'read';
    const scope = operationOf(route)?.scope;
    // Fails closed: a new route is unreachable until its scope is defined.
    if (scope === undefined || scope === 'none') throw new TypeError('This route has no scope.');
    return scope;
  };
}
