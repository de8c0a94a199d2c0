import { timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { type AccessToken, isTokenName, LOOPBACK_ACTOR, type Scope } from '../config/tokens.ts';
import { sha256 } from '../platform/digest.ts';
import { ProblemError } from '../platform/problem.ts';
import type { Env } from './env.ts';
import type { Operation } from './operation.ts';

const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;
/**
 * Values of Sec-Fetch-Site for requests that no other page made (Fetch Metadata). Programs send
 * none.
 */
const ownSites = new Set<string | undefined>([undefined, 'none', 'same-origin']);

/** Returns the actor of a request: the owner of its token, and the person that the client names. */
export function actorOf(c: Context<Env>, person: string | undefined): string {
  // A token's name contains no comma: the text before the first comma is authenticated.
  return person === undefined ? c.get('actor') : `${c.get('actor')}, for ${person}`;
}

/**
 * Requires a token with the operation's scope. Without configured tokens the listener is on
 * loopback, where any page in a browser on this machine can reach it. Therefore it rejects requests
 * from pages, including images and frames, which send no origin, and requests under a name from
 * foreign DNS.
 */
export function requireToken(
  tokens: readonly AccessToken[],
  operations: readonly Operation[],
): MiddlewareHandler<Env> {
  const names = tokens.map(({ name }) => name);
  if (!names.every(isTokenName) || new Set(names).size < names.length) {
    throw new TypeError('Each access token needs a unique name.');
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
      // Compares with every token, so that the time reveals nothing about any of them.
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
    detail: 'Without RECONCILIATION_TOKENS the API only serves programs on this machine.',
  });
}

function refuseOthers(c: Context<Env>, token: AccessToken, needed: Scope): void {
  if (needed === 'read' || token.scopes.includes(needed)) return;
  c.header('www-authenticate', `Bearer error="insufficient_scope", scope="${needed}"`);
  throw new ProblemError('token-not-permitted', {
    detail: `The operation needs a token with the scope "${needed}".`,
  });
}

/**
 * Returns a function that finds the scope of a request by its route's operation. A route without
 * its own answer (404, 405) needs `read`.
 */
function scopesOf(operations: readonly Operation[]): (c: Context<Env>) => Scope {
  const scopes = new Map(
    operations.map(({ access, method, path }) => [`${method.toUpperCase()} ${path}`, access]),
  );
  return function scopeOf(c) {
    const route = matchedRoutes(c).find(({ method }) => method !== 'ALL');
    if (route === undefined) return 'read';
    const found = scopes.get(`${route.method} ${route.path}`);
    // Fails closed: a new route is unreachable until its scope is defined.
    if (found === undefined || found === 'none') throw new TypeError('This route has no scope.');
    return found;
  };
}
