import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { Access, Caller } from '../access/access.ts';
import { type AccessToken, LOOPBACK_ACTOR } from '../access/token.ts';
import { type HttpEnv, ofHttp } from './env.ts';
import { routeFor } from './route.ts';

/**
 * Requires a caller with the scope of the route. A request without a matching route (404, 405)
 * needs `read`.
 * @param scopes all scopes that the listener knows
 * @param session finds the caller of a request without an Authorization header
 */
export function requireCaller<Token extends AccessToken<string>>(
  access: Access<Token>,
  scopes: readonly string[],
  session?: (c: Context) => Promise<Caller<Token['scopes'][number]> | undefined>,
): MiddlewareHandler {
  return async function requireCaller(c: Context<HttpEnv>, next) {
    const find = session && (() => session(c as Context));
    const caller = await access.require(c, scopeOf(c as Context), find);
    c.set('actor', caller.name);
    c.set('scopes', caller.scopes);
    await next();
  };

  function scopeOf(c: Context): string {
    const scope = routeFor(c)?.scope;
    if (scope !== undefined && scopes.includes(scope)) return scope;
    // Fails closed: a new route is unreachable until its scope is decided.
    if (matchedRoutes(c).some(({ method }) => method !== 'ALL')) {
      throw new TypeError('This route has no scope.');
    }
    return 'read';
  }
}

/**
 * Returns the actor of a request: the owner of its token, and the person whom the client names, if
 * any.
 */
export function actorOf(c: Context, person?: string): string {
  const actor = ofHttp(c).get('actor') ?? LOOPBACK_ACTOR;
  // The name of a token or a person has no comma, so the text before the first comma is authenticated.
  return person === undefined ? actor : `${actor}, for ${person}`;
}
