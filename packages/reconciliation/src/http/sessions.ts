import { hkdfSync, randomBytes } from 'node:crypto';
import { hostOf, isLoopbackHost } from '@financing-checkout/kit';
import type { Context } from 'hono';
import { deleteCookie, getCookie, getSignedCookie, setSignedCookie } from 'hono/cookie';
import type { Configuration } from '../config/config.ts';
import type { AccessToken } from '../config/tokens.ts';
import type { Clock } from '../platform/clock.ts';
import { ProblemError } from '../platform/problem.ts';
import type { Env } from './env.ts';
import { requireOwnPage } from './pages.ts';

/** Without the activity of a person a session ends after half an hour, and always after 12 hours. */
export const IDLE_MS = 30 * 60_000;
export const LONGEST_MS = 12 * 3_600_000;

const COOKIE = 'financing-console';
const KEY_BYTES = 32;

/** A session of the console. Times are milliseconds since 1970. */
export interface ConsoleSession {
  id: string;
  token: AccessToken;
  idleEndsAt: number;
  endsAt: number;
}

/** Sessions of the console, which live in signed cookies and in no store. */
export interface Sessions {
  /** Begins a session and sets its cookie. */
  begin(c: Context<Env>, token: AccessToken): Promise<ConsoleSession>;
  /**
   * Returns the session of a request; undefined without a cookie.
   * @throws {ProblemError} `origin-not-allowed`, `session-ended`
   */
  find(c: Context<Env>): Promise<ConsoleSession | undefined>;
  /** Prolongs the idle end of a session. */
  renew(c: Context<Env>, session: ConsoleSession): Promise<ConsoleSession>;
  /** Ends a session and removes its cookie. */
  end(c: Context<Env>, session: ConsoleSession): void;
}

/**
 * Creates the sessions of the configured tokens. The key of each cookie is derived from its token:
 * another process with the same tokens accepts it, and a removed token ends its sessions.
 */
export function createSessions(config: Configuration, clock: Clock): Sessions {
  const { environment, listener, tokens } = config;
  const isServedSecurely = listener.url?.startsWith('https:') ?? false;
  const owners = new Map(
    tokens.map((token) => [token.name, { token, key: keyOf(token, environment) }]),
  );
  /** Ends of the sessions that were ended here, by id: a copy of the cookie is of no use. */
  const ended = new Map<string, number>();

  const prefixOf = (c: Context<Env>) =>
    isServedSecurely || !isLoopbackHost(hostOf(c.req)) ? 'host' : undefined;

  async function write(c: Context<Env>, session: ConsoleSession): Promise<ConsoleSession> {
    const { id, token, idleEndsAt, endsAt } = session;
    const prefix = prefixOf(c);
    const value = [endsAt, idleEndsAt, id, token.name].join('.');
    const key = owners.get(token.name)?.key;
    if (key === undefined) throw new TypeError('A session needs a configured token.');
    await setSignedCookie(c, COOKIE, value, key, {
      ...{ path: '/', httpOnly: true, sameSite: 'Strict' },
      ...(prefix === undefined ? {} : { prefix }),
    });
    return session;
  }

  return {
    begin(c, token) {
      const now = clock.now();
      const id = randomBytes(16).toString('base64url');
      return write(c, { id, token, idleEndsAt: now + IDLE_MS, endsAt: now + LONGEST_MS });
    },

    async find(c) {
      const prefix = prefixOf(c);
      const text = getCookie(c, COOKIE, prefix);
      if (text === undefined) return undefined;
      requireOwnPage(c.req, listener.url);
      // The name says which key to try; only the signed value counts.
      const owner = owners.get(partsOf(text.slice(0, text.lastIndexOf('.')))?.name ?? '');
      const value = owner && (await getSignedCookie(c, owner.key, COOKIE, prefix));
      const parts = partsOf(value === false ? undefined : value);
      const isOpen = parts && clock.now() < Math.min(parts.idleEndsAt, parts.endsAt);
      if (owner === undefined || !isOpen || ended.has(parts.id)) {
        throw new ProblemError('session-ended', { detail: 'Sign in with a token to continue.' });
      }
      const { id, idleEndsAt, endsAt } = parts;
      return { id, token: owner.token, idleEndsAt, endsAt };
    },

    renew(c, session) {
      const idleEndsAt = Math.min(clock.now() + IDLE_MS, session.endsAt);
      return write(c, { ...session, idleEndsAt });
    },

    end(c, { id, endsAt }) {
      const now = clock.now();
      for (const [other, end] of ended) if (end <= now) ended.delete(other);
      ended.set(id, endsAt);
      const prefix = prefixOf(c);
      deleteCookie(c, COOKIE, {
        ...{ path: '/', httpOnly: true, sameSite: 'Strict' },
        ...(prefix === undefined ? {} : { prefix }),
      });
    },
  };
}

function keyOf({ name, secret }: AccessToken, environment: string): Uint8Array<ArrayBuffer> {
  // Names are part of it, so that a cookie is of no use to another token or environment.
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
