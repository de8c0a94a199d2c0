import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { Env } from '../platform/http/requests.ts';
import type { Secret } from '../keys/secret.ts';
import { type Access, isScope, type Operation, type Scope } from '../operating/operation.ts';
import { ProblemError } from '../platform/problem.ts';

/** A bearer token of the back office, with the name that the log and resolutions have for its owner. */
export interface BackOfficeToken {
  /** Letters, digits, "-", "_" and "."; begins with a letter. */
  name: string;
  /** What it permits besides `read`, which every token permits. */
  scopes: readonly Scope[];
  secret: Secret;
}

/** Name of the one token that permits everything (COMPANION_BACK_OFFICE_TOKEN). */
export const SINGLE_TOKEN_NAME = 'back-office';
/** Actor of what programs on this machine do where no token is set. */
const LOOPBACK_ACTOR = 'loopback';

/** Returns whether a token may have a name: one that cannot pass for another actor. */
export function isTokenName(name: string): boolean {
  return /^[A-Za-z][\w.-]{0,39}$/.test(name) && name !== LOOPBACK_ACTOR;
}

/** Returns who does something: the owner of the token, and the person that the client names, if any. */
export function actorOf(c: Context<Env>, person: string | undefined): string {
  const actor = c.get('actor') ?? LOOPBACK_ACTOR;
  // A token's name has no comma: what stands before the first one was proved.
  return person === undefined ? actor : `${actor}, for ${person}`;
}

const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** What browsers say of a request that no other page made (Fetch Metadata); programs say nothing. */
const ownSites = new Set<string | undefined>([undefined, 'none', 'same-origin']);

/**
 * Asks for a token that permits the operation. Without tokens the listener is on loopback, where
 * every page in a browser on the same machine can reach it: so no page may, not even for a picture
 * or a frame, which name no origin, and no name that a foreign DNS gives out.
 */
export function requireToken(
  tokens: readonly BackOfficeToken[],
  operations: readonly Operation[],
): MiddlewareHandler<Env> {
  const names = tokens.map(({ name }) => name);
  if (!names.every(isTokenName) || new Set(names).size < names.length) {
    throw new TypeError('Each back-office token needs a name of its own.');
  }
  const scopeOf = scopesOf(operations);
  return async function requireToken(c, next) {
    if (tokens.length === 0) {
      refusePages(c);
      c.set('actor', LOOPBACK_ACTOR);
    } else {
      const match = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '');
      const token = tokenOf(tokens, match?.[1] ?? '');
      if (token === undefined) {
        c.header('www-authenticate', 'Bearer');
        throw new ProblemError('token-invalid', {
          detail: 'Send "Authorization: Bearer <token>" with a token of the back office.',
        });
      }
      c.set('actor', token.name);
      refuseOthers(c, token, scopeOf(c));
    }
    await next();
  };
}

/** Compares with every token, so that the time says nothing of which one is near. */
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
  const isOfPage =
    c.req.header('origin') !== undefined || !ownSites.has(c.req.header('sec-fetch-site'));
  if (!isOfPage && loopbackHost.test(host)) return;
  throw new ProblemError('origin-not-allowed', {
    detail: 'Without a token of the back office only programs on this machine are answered.',
  });
}

function refuseOthers(c: Context<Env>, token: BackOfficeToken, needed: Scope): void {
  if (needed === 'read' || token.scopes.includes(needed)) return;
  c.header('www-authenticate', `Bearer error="insufficient_scope", scope="${needed}"`);
  throw new ProblemError('token-not-permitted', {
    detail: `This needs a token with the scope "${needed}".`,
  });
}

/**
 * Returns what finds the scope of a request, by the operation that the API's description has for its
 * route. A route without an answer of its own (404, 405) needs `read`.
 */
function scopesOf(operations: readonly Operation[]): (c: Context<Env>) => Scope {
  const access = new Map<string, Access>(
    operations.map(({ access, method, path }) => [`${method.toUpperCase()} ${path}`, access]),
  );
  return function scopeOf(c) {
    const route = matchedRoutes(c).find(({ method }) => method !== 'ALL');
    if (route === undefined) return 'read';
    const found = access.get(`${route.method} ${route.path}`);
    // Fails closed: a new route cannot be reached before its scope is decided.
    if (found === undefined || !isScope(found)) throw new TypeError('This route has no scope.');
    return found;
  };
}
