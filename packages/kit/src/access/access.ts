import type { Context, Env } from 'hono';
import {
  type AccessRequest,
  hostOf,
  isLoopbackHost,
  isOfProgram,
  proxyHeaderOf,
} from './machine.ts';
import { type AccessToken, bearerOf, findToken, isTokenName, LOOPBACK_ACTOR } from './token.ts';

/** Why a request is refused, and how to fix it. */
export interface AccessRefusal {
  /**
   * - `unauthenticated`: no valid token (401).
   * - `not-permitted`: the token lacks the required scope (403).
   * - `not-local`: no token is configured, and the request may come from outside this machine
   *   (403).
   */
  reason: 'unauthenticated' | 'not-permitted' | 'not-local';
  detail: string;
}

/** The scopes that a token of this kind may have. */
type ScopeOf<Token extends AccessToken<string>> = Token['scopes'][number];

/** Who sent a request. The name is the actor in logs and audit trails. */
export interface Caller<Scope extends string> {
  name: string;
  /** Scopes in addition to `read`. */
  scopes: readonly Scope[];
  /** Name of the setting that grants a person the scopes; undefined for a token. */
  setting?: string;
}

export interface AccessRules<Token extends AccessToken<string>> {
  /**
   * Access tokens. If empty, only programs on this machine are served, with {@link localScopes}, unless people
   * {@link signIn | sign in}. A program may replace the tokens in this array while it runs.
   */
  tokens: readonly Token[];
  /** Whether people sign in without a token. @default false */
  signIn?: boolean;
  /** Name of the setting that holds the tokens, for refusal messages. */
  setting: string;
  /**
   * Scopes, in addition to `read`, of every program on this machine if no token is configured. Any
   * process and any user of this machine gets these; a scope that is not listed needs a token.
   */
  localScopes: readonly ScopeOf<Token>[];
  /** Names that no token may have, in addition to {@link LOOPBACK_ACTOR}. */
  reservedNames?: readonly string[];
  /** Creates the error for a refusal. */
  refuse: (refusal: AccessRefusal) => Error;
  /**
   * Throws unless a request comes from one of the listener's own pages. If omitted, no page is
   * served when no token is configured.
   */
  requireOwnPage?: (request: AccessRequest) => void;
}

/** Access control for the routes of one listener. */
export interface Access<Token extends AccessToken<string>> {
  /** Whether neither a token nor a sign-in is configured. */
  readonly isLocal: boolean;
  /** Returns the token with the given secret, in constant time. */
  find(secret: string): Token | undefined;
  /**
   * Requires a scope, and returns the caller: a token, a person, or {@link LOOPBACK_ACTOR} with the
   * local scopes.
   * @param session finds the caller of a request without an Authorization header
   */
  require<E extends Env>(
    c: Context<E>,
    scope: ScopeOf<Token>,
    session?: () => Promise<Caller<ScopeOf<Token>> | undefined>,
  ): Promise<Caller<ScopeOf<Token>>>;
  /**
   * Requires that the caller is a program on this machine or, if the rules permit it, one of the
   * listener's own pages.
   */
  requireLocal<E extends Env>(c: Context<E>): void;
}

/**
 * Creates the access control of one listener. A request needs a bearer token with the scope of its
 * route.
 *
 * If neither a token nor a sign-in is configured, the listener is on loopback. Any page in a local browser can reach it
 * there, and a reverse proxy in front of it would forward requests from the whole internet. It
 * therefore refuses requests from pages, with foreign host names, or with proxy headers; and
 * operations that move money or return personal data still need a token.
 * @throws {TypeError} for an invalid or duplicate token name
 */
export function createAccess<Token extends AccessToken<string>>(
  rules: AccessRules<Token>,
): Access<Token> {
  const { localScopes, refuse, requireOwnPage, reservedNames, setting, signIn, tokens } = rules;
  const names = tokens.map(({ name }) => name);
  if (
    !names.every((name) => isTokenName(name, reservedNames)) ||
    new Set(names).size < names.length
  ) {
    throw new TypeError('Each access token needs a usable name of its own.');
  }
  const isLocal = tokens.length === 0 && signIn !== true;

  function requireLocal<E extends Env>(c: Context<E>): void {
    const header = proxyHeaderOf(c.req);
    if (header !== undefined) {
      throw refuse({
        reason: 'not-local',
        detail: `The header "${header}" shows a proxy, so the client may be on another machine. Set ${setting}.`,
      });
    }
    if (isLoopbackHost(hostOf(c.req))) {
      if (isOfProgram(c.req)) return;
      if (requireOwnPage) {
        requireOwnPage(c.req);
        return;
      }
    }
    throw refuse({
      reason: 'not-local',
      detail: `Without ${setting}, only programs on this machine may call this API.`,
    });
  }

  return {
    isLocal,
    requireLocal,
    find: (secret) => findToken(tokens, secret),

    async require(c, scope, session) {
      if (isLocal) {
        requireLocal(c);
        if (scope !== 'read' && !localScopes.includes(scope)) {
          throw refuse({
            reason: 'not-permitted',
            detail: `This needs a token with the scope "${scope}", also on this machine. Set ${setting}.`,
          });
        }
        return { name: LOOPBACK_ACTOR, scopes: localScopes };
      }
      const header = c.req.header('authorization');
      const caller: Caller<ScopeOf<Token>> | undefined =
        header === undefined && session !== undefined
          ? await session()
          : findToken(tokens, bearerOf(header ?? ''));
      if (caller === undefined) {
        c.header('www-authenticate', 'Bearer');
        throw refuse({
          reason: 'unauthenticated',
          detail: `Send "Authorization: Bearer <token>" with a token of ${setting}.`,
        });
      }
      if (scope !== 'read' && !caller.scopes.includes(scope)) {
        c.header('www-authenticate', `Bearer error="insufficient_scope", scope="${scope}"`);
        throw refuse({
          reason: 'not-permitted',
          detail:
            caller.setting === undefined
              ? `This needs a token with the scope "${scope}": add the scope to the token in ${setting}.`
              : `This needs the scope "${scope}", and none of your roles in ${caller.setting} has it.`,
        });
      }
      return caller;
    },
  };
}
