import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'hono';
import { setCookie } from 'hono/cookie';
import type { SignInSettings } from '../config/sign-in.ts';
import type { Engine } from '../engine/engine.ts';
import type { PersonSession } from '../facts/people.ts';
import { ProblemError } from '../platform/problem.ts';
import { nameOf, rolesOf, scopesOf } from '../sign-in/claims.ts';
import { SignInError } from '../sign-in/error.ts';
import {
  type Provider,
  type ProviderTokens,
  providerTokensSchema,
  type SignedIn,
} from '../sign-in/provider.ts';
import type { Env } from './env.ts';
import type { ConsoleCookie } from './session-cookie.ts';
import { type ConsoleSession, IDLE_MS, LONGEST_MS, type SessionKind } from './session-kind.ts';
import type { SessionTrail } from './session-trail.ts';

/** Without a refresh token, the provider cannot confirm a session, so it is short. */
const UNCONFIRMED_MS = 3_600_000;
/** A session goes on for so many intervals while the provider does not answer. */
const TOLERATED_INTERVALS = 3;
/** Other processes leave a check to the one that has claimed it; a failed one is not repeated. */
const CLAIM_MS = 15_000;
const POLL_MS = 100;
/** A browser has one cookie, and more only while another program uses the same name. */
const MAX_COOKIES = 5;

const cookieText = /^person\.([\w-]{43})$/;

/**
 * Sessions of people. The record store has them; the cookie has a random secret, with which the
 * provider's tokens in the store are sealed. A copy of the store is therefore of no use.
 */
export interface PersonSessions extends SessionKind {
  /**
   * Starts a session and sets its cookie.
   * @throws {SignInError} `no-role`, `no-name`
   */
  begin(c: Context<Env>, signedIn: SignedIn): Promise<ConsoleSession>;
}

export function createPersonSessions(
  engine: Pick<Engine, 'clock' | 'facts' | 'logger'>,
  settings: SignInSettings,
  provider: Provider,
  cookie: ConsoleCookie,
  trail: SessionTrail,
): PersonSessions {
  const { clock, logger } = engine;
  /** Checks that this process is doing, by session: requests of one page share a check. */
  const checks = new Map<string, Promise<PersonSession | undefined>>();

  function consoleSession(row: PersonSession): ConsoleSession | undefined {
    const scopes = scopesOf(row.roles, settings);
    if (scopes === undefined) return undefined;
    const { endsAt, id, idleEndsAt, issuer, name, subject } = row;
    return {
      id,
      person: { issuer, subject },
      caller: { name, scopes, setting: 'RECONCILIATION_OIDC_ROLES' },
      idleEndsAt,
      endsAt,
    };
  }

  /** Returns the session if the provider has confirmed it lately, or does so now. */
  async function confirmed(
    c: Context<Env>,
    row: PersonSession,
    secret: string,
  ): Promise<PersonSession | undefined> {
    const { refreshToken } = unseal(row.tokens, secret);
    if (refreshToken === undefined || clock.now() < row.checkedAt + settings.recheckMs) return row;
    const running = checks.get(row.id) ?? check(c, row, secret, refreshToken);
    checks.set(row.id, running);
    try {
      return await running;
    } finally {
      checks.delete(row.id);
    }
  }

  const isTolerated = ({ checkedAt }: PersonSession) =>
    clock.now() < checkedAt + TOLERATED_INTERVALS * settings.recheckMs;

  async function check(
    c: Context<Env>,
    row: PersonSession,
    secret: string,
    refreshToken: string,
  ): Promise<PersonSession | undefined> {
    const { facts } = engine;
    const now = clock.now();
    if (!(await facts.claimSessionCheck(row, now, now + CLAIM_MS))) return checkOfOther(row);
    const requestId = c.get('requestId');
    try {
      const { idToken } = unseal(row.tokens, secret);
      const { claims, tokens } = await provider.refresh(refreshToken, {
        subject: row.subject,
        idToken,
      });
      const roles = claims === undefined ? row.roles : rolesOf(claims, settings);
      const checked = { ...row, roles, tokens: seal(tokens, secret), checkedAt: clock.now() };
      await facts.finishSessionCheck(checked);
      return checked;
    } catch (error) {
      if (!(error instanceof SignInError)) throw error;
      const { code, reason } = error;
      if (code === 'provider-unavailable' || code === 'provider-refused') {
        logger.log('warn', 'session-not-confirmed', { requestId, code, reason });
        if (isTolerated(row)) return row;
        throw unavailable();
      }
      logger.log('info', 'session-ended-by-provider', { requestId, code, reason });
      await facts.endPersonSession(row.id);
      await trail.signedOut(c, row.name, 'provider');
      return undefined;
    }
  }

  /** Uses the session while another process checks it, or waits for that check. */
  async function checkOfOther(row: PersonSession): Promise<PersonSession | undefined> {
    if (isTolerated(row)) return row;
    for (let waited = 0; waited < CLAIM_MS / 2; waited += POLL_MS) {
      const found = await engine.facts.personSession(row.id);
      if (found === undefined || isTolerated(found)) return found;
      await sleep(POLL_MS);
    }
    throw unavailable();
  }

  async function stored(
    value: string,
  ): Promise<{ row: PersonSession; secret: string } | undefined> {
    const secret = cookieText.exec(value)?.[1];
    if (secret === undefined) return undefined;
    const row = await engine.facts.personSession(idOf(secret));
    if (row === undefined || clock.now() >= Math.min(row.idleEndsAt, row.endsAt)) return undefined;
    return { row, secret };
  }

  return {
    async begin(c, { identity, tokens }) {
      const { issuer, providerSession, subject } = identity;
      const roles = rolesOf(identity.claims, settings);
      const wanted = nameOf(identity.claims, settings);
      const person = { issuer, subject };
      const name = await engine.facts.nameOfPerson(person, wanted);
      const secret = randomBytes(32).toString('base64url');
      const now = clock.now();
      const row: PersonSession = {
        ...person,
        id: idOf(secret),
        name,
        providerSession,
        roles,
        tokens: seal(tokens, secret),
        startedAt: now,
        idleEndsAt: now + IDLE_MS,
        endsAt: now + (tokens.refreshToken === undefined ? UNCONFIRMED_MS : LONGEST_MS),
        checkedAt: now,
      };
      await engine.facts.beginPersonSession(row);
      const prefix = cookie.prefix(c);
      const options = { path: '/', httpOnly: true, sameSite: 'Strict', prefix } as const;
      setCookie(c, cookie.name(c), `person.${secret}`, options);
      const session = consoleSession(row);
      if (session === undefined) throw new TypeError('The role of a sign-in has no scopes.');
      return session;
    },

    async present(values) {
      const own = values.filter((value) => cookieText.test(value)).slice(0, MAX_COOKIES);
      const found = (await Promise.all(own.map(stored))).filter((one) => one !== undefined);
      return found.flatMap(({ row, secret }) => {
        const session = consoleSession(row);
        if (session === undefined) return [];
        return {
          session,
          async current(c) {
            const now = await confirmed(c, row, secret);
            return now && consoleSession(now);
          },
          async renew(_, idleEndsAt) {
            await engine.facts.renewPersonSession(row.id, idleEndsAt);
            return { ...session, idleEndsAt };
          },
          async end() {
            await engine.facts.endPersonSession(row.id);
            try {
              return await provider.endSessionUrl(unseal(row.tokens, secret));
            } catch (error) {
              if (!(error instanceof SignInError)) throw error;
              // The session of this program has ended; the provider's goes on.
              const { code, reason } = error;
              logger.log('warn', 'provider-session-not-ended', { code, reason });
              return undefined;
            }
          },
        };
      });
    },
  };
}

const unavailable = () =>
  new ProblemError('provider-unavailable', {
    detail: 'The provider does not confirm the session. It continues as soon as the provider does.',
    retrySafe: true,
    retryAfterSeconds: 15,
  });

const idOf = (secret: string) => createHash('sha256').update(secret).digest('base64url');

function sealingKey(secret: string): Uint8Array {
  const purpose = 'financing-checkout provider tokens 1';
  return new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32));
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts the provider's tokens with a key that only the browser has (AES-256-GCM). */
function seal(tokens: ProviderTokens, secret: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', sealingKey(secret), iv);
  const text = Buffer.concat([cipher.update(JSON.stringify(tokens), 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url');
}

function unseal(sealed: string, secret: string): ProviderTokens {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(secret), bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const text = Buffer.concat([
    decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)),
    decipher.final(),
  ]);
  return providerTokensSchema.parse(JSON.parse(text.toString('utf8')));
}
