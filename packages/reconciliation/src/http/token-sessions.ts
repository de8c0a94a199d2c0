import { hkdfSync, randomBytes } from 'node:crypto';
import type { Clock } from '@financing-checkout/kit';
import type { Context } from 'hono';
import { setSignedCookie } from 'hono/cookie';
import { parse, parseSigned } from 'hono/utils/cookie';
import type { Configuration } from '../config/config.ts';
import type { AccessToken } from '../config/tokens.ts';
import type { EndedSessions } from '../facts/ended-sessions.ts';
import type { Env } from './env.ts';
import type { ConsoleCookie } from './session-cookie.ts';
import { type ConsoleSession, IDLE_MS, LONGEST_MS, type SessionKind } from './session-kind.ts';

/** Name with which a cookie's value is signed. */
const COOKIE = 'financing-console';
const KEY_BYTES = 32;

/** Sessions of tokens, which live in signed cookies. The record store lists those that were ended. */
export interface TokenSessions extends SessionKind {
  /** Starts a session and sets its cookie. */
  begin(c: Context<Env>, token: AccessToken): Promise<ConsoleSession>;
}

/**
 * Creates the sessions of the configured tokens. The key of each cookie is derived from its token,
 * so that another process with the same tokens accepts the cookie, and removing a token ends its
 * sessions.
 */
export function createTokenSessions(
  { environment, tokens, tokenSignIn }: Configuration,
  clock: Clock,
  cookie: ConsoleCookie,
  facts: () => EndedSessions,
): TokenSessions {
  const owners = new Map(
    (tokenSignIn ? tokens : []).map((token) => [
      token.name,
      { token, key: keyOf(token, environment) },
    ]),
  );

  async function write(c: Context<Env>, session: ConsoleSession): Promise<ConsoleSession> {
    const { id, caller, idleEndsAt, endsAt } = session;
    const value = [endsAt, idleEndsAt, id, caller.name].join('.');
    const key = owners.get(caller.name)?.key;
    if (key === undefined) throw new TypeError('A session needs a configured token.');
    const prefix = cookie.prefix(c);
    const options = { path: '/', httpOnly: true, sameSite: 'Strict', prefix } as const;
    await setSignedCookie(c, cookie.name(c), value, key, options);
    return session;
  }

  async function verify(value: string): Promise<ConsoleSession | undefined> {
    const pair = `${COOKIE}=${value}`;
    const text = parse(pair, COOKIE)[COOKIE] ?? '';
    // The name only selects the key to try; only the signed value counts.
    const owner = owners.get(partsOf(text.slice(0, text.lastIndexOf('.')))?.name ?? '');
    if (owner === undefined) return undefined;
    const signed = (await parseSigned(pair, owner.key, COOKIE))[COOKIE];
    const parts = partsOf(signed === false ? undefined : signed);
    if (parts === undefined) return undefined;
    const { id, idleEndsAt, endsAt } = parts;
    if (clock.now() >= Math.min(idleEndsAt, endsAt)) return undefined;
    return { id, caller: owner.token, idleEndsAt, endsAt };
  }

  return {
    begin(c, token) {
      const now = clock.now();
      const id = randomBytes(16).toString('base64url');
      return write(c, { id, caller: token, idleEndsAt: now + IDLE_MS, endsAt: now + LONGEST_MS });
    },

    async present(values) {
      const found = await Promise.all(values.map(verify));
      return found.flatMap((session) =>
        session === undefined
          ? []
          : {
              session,
              current: async () =>
                (await facts().isSessionEnded(session.id)) ? undefined : session,
              renew: async (c, idleEndsAt) => write(c, { ...session, idleEndsAt }),
              async end() {
                await facts().endSession(session.id, session.endsAt, clock.now());
                return undefined;
              },
            },
      );
    },
  };
}

function keyOf({ name, secret }: AccessToken, environment: string): Uint8Array<ArrayBuffer> {
  // The names are included so that a cookie is useless with another token or environment.
  const purpose = `financing-checkout console session 1\n${environment}\n${name}`;
  return new Uint8Array(hkdfSync('sha256', secret.reveal(), '', purpose, KEY_BYTES));
}

function partsOf(
  value: string | undefined,
): (Omit<ConsoleSession, 'caller'> & { name: string }) | undefined {
  const match = /^(\d{1,15})\.(\d{1,15})\.([\w-]{22})\.(.{1,40})$/.exec(value ?? '');
  if (match === null) return undefined;
  const [, endsAt = '', idleEndsAt = '', id = '', name = ''] = match;
  return { id, name, idleEndsAt: Number(idleEndsAt), endsAt: Number(endsAt) };
}
