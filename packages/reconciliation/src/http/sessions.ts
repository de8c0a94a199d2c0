import { hkdfSync, randomBytes } from 'node:crypto';
import { hostOf, isLoopbackHost, type Clock } from '@financing-checkout/kit';
import type { Context } from 'hono';
import { deleteCookie, setSignedCookie } from 'hono/cookie';
import { parse, parseSigned } from 'hono/utils/cookie';
import type { Configuration } from '../config/config.ts';
import type { AccessToken } from '../config/tokens.ts';
import type { EndedSessions } from '../facts/ended-sessions.ts';
import { ProblemError } from '../platform/problem.ts';
import type { Env } from './env.ts';
import { requireOwnPage } from './pages.ts';

/** A session ends after half an hour without user activity, and after 12 hours in any case. */
export const IDLE_MS = 30 * 60_000;
export const LONGEST_MS = 12 * 3_600_000;

/**
 * Prefix of the cookie's name. Browsers send cookies to all ports of a host, so the name contains
 * the port, so that two programs on one host do not overwrite each other's session.
 */
const COOKIE = 'financing-console';
const KEY_BYTES = 32;

/** A session of the console. Times are in milliseconds since 1970. */
export interface ConsoleSession {
  id: string;
  token: AccessToken;
  idleEndsAt: number;
  endsAt: number;
}

/**
 * Sessions of the console, which live in signed cookies. The record store lists those that were
 * ended.
 */
export interface Sessions {
  /** Starts a session and sets its cookie. */
  begin(c: Context<Env>, token: AccessToken): Promise<ConsoleSession>;
  /**
   * Returns the session of a request; undefined without a cookie. If there are several cookies with
   * the name, such as one from another program under another path, the newest valid one is used.
   * @throws {ProblemError} `origin-not-allowed`, `session-ended`
   */
  find(c: Context<Env>): Promise<ConsoleSession | undefined>;
  /** Extends the idle timeout of a session. */
  renew(c: Context<Env>, session: ConsoleSession): Promise<ConsoleSession>;
  /** Ends every session that the request presents, for all processes, and clears the cookie. */
  end(c: Context<Env>): Promise<void>;
}

/**
 * Creates the sessions of the configured tokens. The key of each cookie is derived from its token,
 * so that another process with the same tokens accepts the cookie, and removing a token ends its
 * sessions.
 */
export function createSessions(
  config: Configuration,
  clock: Clock,
  facts: () => EndedSessions,
): Sessions {
  const { environment, listener, tokens } = config;
  const isServedSecurely = listener.url?.startsWith('https:') ?? false;
  const owners = new Map(
    tokens.map((token) => [token.name, { token, key: keyOf(token, environment) }]),
  );

  const prefixOf = (c: Context<Env>) =>
    isServedSecurely || !isLoopbackHost(hostOf(c.req)) ? 'host' : undefined;
  const nameOf = (c: Context<Env>) => `${COOKIE}-${portOf(hostOf(c.req), listener.url)}`;

  async function write(c: Context<Env>, session: ConsoleSession): Promise<ConsoleSession> {
    const { id, token, idleEndsAt, endsAt } = session;
    const prefix = prefixOf(c);
    const value = [endsAt, idleEndsAt, id, token.name].join('.');
    const key = owners.get(token.name)?.key;
    if (key === undefined) throw new TypeError('A session needs a configured token.');
    await setSignedCookie(c, nameOf(c), value, key, {
      path: '/',
      httpOnly: true,
      sameSite: 'Strict',
      prefix,
    });
    return session;
  }

  /**
   * Returns the values of all cookies with this name. Browsers send the one with the longest path
   * first.
   */
  function cookiesOf(c: Context<Env>): string[] {
    const name = prefixOf(c) === undefined ? nameOf(c) : `__Host-${nameOf(c)}`;
    const pairs = (c.req.header('cookie') ?? '').split(';').map((pair) => pair.trim());
    return pairs
      .filter((pair) => pair.startsWith(`${name}=`))
      .map((pair) => pair.slice(name.length + 1));
  }

  async function verify(cookie: string): Promise<ConsoleSession | undefined> {
    const pair = `${COOKIE}=${cookie}`;
    const text = parse(pair, COOKIE)[COOKIE] ?? '';
    // The name only selects the key to try; only the signed value counts.
    const owner = owners.get(partsOf(text.slice(0, text.lastIndexOf('.')))?.name ?? '');
    if (owner === undefined) return undefined;
    const signed = (await parseSigned(pair, owner.key, COOKIE))[COOKIE];
    const parts = partsOf(signed === false ? undefined : signed);
    if (parts === undefined) return undefined;
    const { id, idleEndsAt, endsAt } = parts;
    if (clock.now() >= Math.min(idleEndsAt, endsAt)) return undefined;
    return { id, token: owner.token, idleEndsAt, endsAt };
  }

  /** Returns the sessions of the cookies whose signature and lifetime are valid, newest first. */
  async function verifyAll(cookies: readonly string[]): Promise<ConsoleSession[]> {
    const found = await Promise.all(cookies.map(verify));
    return found
      .filter((session) => session !== undefined)
      .toSorted((a, b) => b.endsAt - a.endsAt || b.idleEndsAt - a.idleEndsAt);
  }

  return {
    begin(c, token) {
      const now = clock.now();
      const id = randomBytes(16).toString('base64url');
      return write(c, { id, token, idleEndsAt: now + IDLE_MS, endsAt: now + LONGEST_MS });
    },

    async find(c) {
      const cookies = cookiesOf(c);
      if (cookies.length === 0) return undefined;
      requireOwnPage(c.req, listener.url);
      for (const session of await verifyAll(cookies)) {
        if (!(await facts().isSessionEnded(session.id))) return session;
      }
      throw new ProblemError('session-ended', { detail: 'Sign in with a token to continue.' });
    },

    renew(c, session) {
      const idleEndsAt = Math.min(clock.now() + IDLE_MS, session.endsAt);
      return write(c, { ...session, idleEndsAt });
    },

    async end(c) {
      for (const { id, endsAt } of await verifyAll(cookiesOf(c))) {
        await facts().endSession(id, endsAt, clock.now());
      }
      // Only after the store has recorded the end: a user whose sign-out failed has to notice.
      const prefix = prefixOf(c);
      deleteCookie(c, nameOf(c), {
        path: '/',
        httpOnly: true,
        sameSite: 'Strict',
        prefix,
      });
    },
  };
}

/** Returns the port through which a browser reaches the program. */
function portOf(host: string, url: string | undefined): string {
  if (url !== undefined) {
    const { port, protocol } = new URL(url);
    return port || (protocol === 'https:' ? '443' : '80');
  }
  return /:(\d{1,5})$/.exec(host)?.[1] ?? (isLoopbackHost(host) ? '80' : '443');
}

function keyOf({ name, secret }: AccessToken, environment: string): Uint8Array<ArrayBuffer> {
  // The names are included so that a cookie is useless with another token or environment.
  const purpose = `financing-checkout console session 1\n${environment}\n${name}`;
  return new Uint8Array(hkdfSync('sha256', secret.reveal(), '', purpose, KEY_BYTES));
}

function partsOf(
  value: string | undefined,
): (Omit<ConsoleSession, 'token'> & { name: string }) | undefined {
  const match = /^(\d{1,15})\.(\d{1,15})\.([\w-]{22})\.(.{1,40})$/.exec(value ?? '');
  if (match === null) return undefined;
  const [, endsAt = '', idleEndsAt = '', id = '', name = ''] = match;
  return { id, name, idleEndsAt: Number(idleEndsAt), endsAt: Number(endsAt) };
}
