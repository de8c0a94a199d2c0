import { timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { type AccessToken, isTokenName, LOOPBACK_ACTOR, type Scope } from '../config/tokens.ts';
import { sha256 } from '../platform/digest.ts';
import { ProblemError } from '../platform/problem.ts';
import type { Env } from './env.ts';
import type { Operation } from './operation.ts';

const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;
/** What browsers say of a request that no other page made (Fetch Metadata); programs say nothing. */
const ownSites = new Set<string | undefined>([undefined, 'none', 'same-origin']);

/** Returns the actor of a request: the owner of its token, and the person that the client names. */
export function actorOf(c: Context<Env>, person: string | undefined): string {
  // A token's name has no comma: the text before the first one is proven.
  return person === undefined ? c.get('actor') : `${c.get('actor')}, for ${person}`;
}

/**
 * Asks for a token that permits the operation. Without tokens the listener is on loopback, where every
 * page in a browser on the same machine can reach it: so no page may, not even for a picture or a frame,
 * which name no origin, and no name that a foreign DNS gives out.
 */
export function requireToken(
  tokens: readonly AccessToken[],
  operations: readonly Operation[],
): MiddlewareHandler<Env> {
  const names = tokens.map(({ name }) => name);
  if (!names.every(isTokenName) || new Set(names).size < names.length) {
    throw new TypeError('Each access token needs a name of its own.');
  }
  const owners = tokens.map((token) => ({ token, digest: digestOf(token.secret.reveal()) }));
  const scopeOf = scopesOf(operations);
  return async function requireToken(c, next) {
    if (tokens.length === 0) {
      refusePages(c);
      c.set('actor', LOOPBACK_ACTOR);
    } else {
      const match = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '');
      const digest = digestOf(match?.[1] ?? '');
      // Compared with every token, so that the time does not depend on which one is near.
      const [owner] = owners.filter((one) => timingSafeEqual(one.digest, digest));
      if (owner === undefined) {
        c.header('www-authenticate', 'Bearer');
        throw new ProblemError('token-invalid', {
          detail: 'Send "Authorization: Bearer <token>" with a token of RECONCILIATION_TOKENS.',
        });
      }
      c.set('actor', owner.token.name);
      refuseOthers(c, owner.token, scopeOf(c));
    }
    await next();
  };
}

function digestOf(text: string): Buffer {
  return Buffer.from(sha256(text), 'hex');
}

function refusePages(c: Context<Env>): void {
  const host = c.req.header('host') ?? new URL(c.req.url).host;
  const isOfPage =
    c.req.header('origin') !== undefined || !ownSites.has(c.req.header('sec-fetch-site'));
  if (!isOfPage && loopbackHost.test(host)) return;
  throw new ProblemError('origin-not-allowed', {
    detail: 'Without RECONCILIATION_TOKENS only programs on this machine are answered.',
  });
}

function refuseOthers(c: Context<Env>, token: AccessToken, needed: Scope): void {
  if (needed === 'read' || token.scopes.includes(needed)) return;
  c.header('www-authenticate', `Bearer error="insufficient_scope", scope="${needed}"`);
  throw new ProblemError('token-not-permitted', {
    detail: `This needs a token with the scope "${needed}".`,
  });
}

/**
 * Returns what finds the scope of a request, by the operation of its route. A route without an answer
 * of its own (404, 405) needs `read`.
 */
function scopesOf(operations: readonly Operation[]): (c: Context<Env>) => Scope {
  const scopes = new Map(
    operations.map(({ access, method, path }) => [`${method.toUpperCase()} ${path}`, access]),
  );
  return function scopeOf(c) {
    const route = matchedRoutes(c).find(({ method }) => method !== 'ALL');
    if (route === undefined) return 'read';
    const found = scopes.get(`${route.method} ${route.path}`);
    // Fails closed: a new route cannot be reached before its scope is decided.
    if (found === undefined || found === 'none') throw new TypeError('This route has no scope.');
    return found;
  };
}
