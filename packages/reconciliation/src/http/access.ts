import { timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { Configuration } from '../config/config.ts';
import { type AccessToken, isTokenName, LOOPBACK_ACTOR, type Scope } from '../config/tokens.ts';
import { sha256 } from '../platform/digest.ts';
import { ProblemError } from '../platform/problem.ts';
import type { Env } from './env.ts';
import type { Operation } from './operation.ts';
import { hostOf, isLoopbackHost, isOfProgram, requireOwnPage } from './pages.ts';
import type { Sessions } from './sessions.ts';

/** Returns the actor of a request: the owner of its token, and the person that the client names. */
export function actorOf(c: Context<Env>, person: string | undefined): string {
  // A token's name contains no comma: the text before the first comma is authenticated.
  return person === undefined ? c.get('actor') : `${c.get('actor')}, for ${person}`;
}

/** Returns the token with a secret; undefined: none has it. */
export type TokenFinder = (secret: string) => AccessToken | undefined;

export function tokenFinder(tokens: readonly AccessToken[]): TokenFinder {
  const names = tokens.map(({ name }) => name);
  if (!names.every(isTokenName) || new Set(names).size < names.length) {
    throw new TypeError('Each access token needs a unique name.');
  }
  const owners = tokens.map((token) => ({ token, digest: digestOf(token.secret.reveal()) }));
  return function findToken(secret) {
    const digest = digestOf(secret);
    // Compares with every token, so that the time reveals nothing about any of them.
    const [owner] = owners.filter((one) => timingSafeEqual(one.digest, digest));
    return owner?.token;
  };
}

export interface AccessOptions {
  config: Configuration;
  findToken: TokenFinder;
  sessions: Sessions;
  operations: readonly Operation[];
}

/** Requires a token or a session of the console with the operation's scope. */
export function requireAccess(options: AccessOptions): MiddlewareHandler<Env> {
  const { config, findToken, sessions } = options;
  const scopeOf = scopesOf(options.operations);

  async function ownerOf(c: Context<Env>): Promise<AccessToken> {
    const header = c.req.header('authorization');
    const match = /^Bearer +(\S+)$/i.exec(header ?? '');
    const token =
      header === undefined ? (await sessions.find(c))?.token : findToken(match?.[1] ?? '');
    if (token !== undefined) return token;
    c.header('www-authenticate', 'Bearer');
    throw new ProblemError('token-invalid', {
      detail: 'Send "Authorization: Bearer <token>" with a token of RECONCILIATION_TOKENS.',
    });
  }

  return async function requireAccess(c, next) {
    if (config.tokens.length === 0) {
      requireLoopback(c, config.listener.url);
      c.set('actor', LOOPBACK_ACTOR);
    } else {
      const token = await ownerOf(c);
      c.set('actor', token.name);
      refuseOthers(c, token, scopeOf(c));
    }
    await next();
  };
}

function digestOf(text: string): Buffer {
  return Buffer.from(sha256(text), 'hex');
}

/**
 * Requires a program on this machine, or a page of this origin. Without configured tokens the
 * listener is on loopback, where any page in a browser on this machine can reach it. Therefore it
 * rejects requests from other pages, including images and frames, which send no origin, and
 * requests under a name from foreign DNS.
 */
export function requireLoopback(c: Context<Env>, url: string | undefined): void {
  if (!isLoopbackHost(hostOf(c))) {
    throw new ProblemError('origin-not-allowed', {
      detail: 'Without RECONCILIATION_TOKENS the API only serves this machine.',
    });
  }
  if (!isOfProgram(c)) requireOwnPage(c, url);
}

function refuseOthers(c: Context<Env>, token: AccessToken, needed: Scope): void {
  if (needed === 'read' || token.scopes.includes(needed)) return;
  c.header('www-authenticate', `Bearer error="insufficient_scope", scope="${needed}"`);
  throw new ProblemError('token-not-permitted', {
    detail: `The operation needs a token with the scope "${needed}": add the scope to the token in RECONCILIATION_TOKENS.`,
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
