import { createHash, createHmac, randomBytes } from 'node:crypto';
import { type Caller, type Clock, equalInConstantTime } from '@financing-checkout/kit';
import { z } from 'zod';
import type { Configuration } from '../config/config.ts';
import type { SignInSettings } from '../config/sign-in.ts';
import type { AccessToken, Scope } from '../config/tokens.ts';
import type { PersonKey } from '../facts/people.ts';
import type { SessionRow } from '../facts/schema.ts';
import type { FactStore } from '../facts/store.ts';
import type { Logger } from '../platform/log.ts';
import { nameOf, rolesOf, scopesOf } from './claims.ts';
import { SignInError } from './error.ts';
import type { Logout, Provider, ProviderTokens, SignedIn } from './provider.ts';
import type { SignInTrail } from './trail.ts';

/** A session ends after half an hour without user activity, and after 12 hours in any case. */
const IDLE_MS = 30 * 60_000;
export const LONGEST_MS = 12 * 3_600_000;
/** Without a refresh token, the provider cannot confirm a session, so it is kept short. */
const UNCONFIRMED_MS = 3_600_000;
/** Delay after a failed attempt to confirm a session. */
const RETRY_MS = 15_000;

/** A console session. Times are in milliseconds since 1970. */
export interface ConsoleSession {
  id: string;
  /** The token or the person. */
  caller: Caller<Scope>;
  /** Undefined for a token's session. */
  person: PersonKey | undefined;
  startedAt: number;
  idleEndsAt: number;
  endsAt: number;
}

/** A session that has ended. `why` is the reason, as a sentence. */
export interface EndedSession {
  startedAt: number;
  why: string;
}

/** A session and the secret for its cookie. */
export interface NewSession {
  secret: string;
  session: ConsoleSession;
}

/**
 * Console sessions of tokens and people. Each is a row in the record store, found by the secret in
 * the cookie. The process where a person signed in holds the provider's tokens, in memory only, and
 * has the provider confirm the session before each interval ends. Other processes read from the row
 * when the confirmation ends.
 */
export interface Sessions {
  beginForToken(token: AccessToken): Promise<NewSession>;
  /** @throws {SignInError} `no-role`, `too-many-groups`, `no-name` */
  beginForPerson(signedIn: SignedIn): Promise<NewSession>;
  /** Returns the sessions with these secrets, newest first; none for a made-up secret. */
  find(secrets: readonly string[]): Promise<(ConsoleSession | EndedSession)[]>;
  /** Extends the idle timeout. */
  renew(session: ConsoleSession): Promise<ConsoleSession>;
  /** Ends a session in all processes. @returns where the browser ends the provider's session */
  end(session: ConsoleSession): Promise<URL | undefined>;
  /** Ends the sessions that a logout token names. */
  endByProvider(logout: Logout): Promise<void>;
  /** Makes the provider confirm this process's due sessions. */
  confirmDue(): Promise<void>;
}

export interface SessionsOptions {
  config: Pick<Configuration, 'environment' | 'signIn' | 'tokens' | 'tokenSignIn'>;
  /** Undefined if people do not sign in. */
  provider: Provider | undefined;
  /** Returns the record store once it is open. */
  facts: () => FactStore;
  trail: SignInTrail;
  clock: Clock;
  logger: Logger;
}

/** Data about a person's session that only this process has. */
interface Held {
  secret: string;
  tokens: ProviderTokens;
  /** When the last ID token was issued. */
  issuedAt: number;
  checkAt: number;
}

export function createSessions(options: SessionsOptions): Sessions {
  const { clock, config, facts, logger, provider, trail } = options;
  const { environment, signIn, tokens, tokenSignIn } = config;
  const held = new Map<string, Held>();

  /** Returns a session's caller, and the key that only processes with the configuration have. */
  function ownerOf({ issuer, name, roles }: Pick<SessionRow, 'issuer' | 'name' | 'roles'>) {
    if (issuer === undefined) {
      const token = tokenSignIn ? tokens.find((one) => one.name === name) : undefined;
      return token && { caller: token, key: token.secret.reveal() };
    }
    if (signIn === undefined) return undefined;
    const scopes = scopesOf(texts.parse(JSON.parse(roles ?? '[]')), signIn);
    const caller = scopes && { name, scopes, setting: 'RECONCILIATION_OIDC_ROLES' };
    return { caller, key: signIn.clientSecret?.reveal() ?? '' };
  }

  /**
   * Returns a session's proof, which keeps someone with write access to the record store from
   * adding a session or changing its owner, roles or end.
   */
  function proofOf(row: Omit<SessionRow, 'proof'>, secret: string): string {
    const text = JSON.stringify([
      'financing-checkout console session 2',
      ...[secret, environment, row.issuer && signIn?.issuer],
      ...[row.name, row.issuer, row.subject, row.providerSession, row.roles],
      ...[row.startedAt, row.endsAt, row.confirmedUntil],
    ]);
    const key = ownerOf(row)?.key ?? '';
    return createHmac('sha256', key).update(text).digest('base64url');
  }

  /** @param row values that depend on the session's owner */
  async function begin(
    row: Omit<SessionRow, 'id' | 'idleEndsAt' | 'proof' | 'ended'>,
    caller: Caller<Scope>,
  ): Promise<NewSession> {
    const secret = randomBytes(32).toString('base64url');
    const idleEndsAt = row.startedAt + IDLE_MS;
    const session = { ...row, id: idOf(secret), idleEndsAt };
    await facts().beginSession({ ...session, proof: proofOf(session, secret) });
    return { secret, session: sessionOf(session, caller) };
  }

  const isGenuine = (row: SessionRow, secret: string) =>
    ownerOf(row) !== undefined && equalInConstantTime(row.proof, proofOf(row, secret));
  const isExpired = (row: SessionRow) => clock.now() >= Math.min(row.idleEndsAt, row.endsAt);

  /** Returns a row's session for a browser that has its secret; undefined if it is invalid. */
  function read(row: SessionRow, secret: string): ConsoleSession | EndedSession | undefined {
    if (!isGenuine(row, secret) || isExpired(row)) return undefined;
    const startedAt = row.startedAt;
    if (row.ended !== undefined) return { startedAt, why: row.ended };
    if (clock.now() >= row.confirmedUntil) return { startedAt, why: notConfirmed(signIn) };
    const caller = ownerOf(row)?.caller;
    return caller === undefined ? { startedAt, why: NO_ROLE } : sessionOf(row, caller);
  }

  async function endByCheck(row: SessionRow, why: string): Promise<void> {
    held.delete(row.id);
    const ended = await facts().endSessions({ id: row.id }, why);
    for (const name of ended) await trail.signedOut(name, 'provider');
  }

  async function check(
    id: string,
    own: Held,
    through: { settings: SignInSettings; provider: Provider },
  ): Promise<void> {
    const [row] = await facts().sessions([id]);
    const now = clock.now();
    const { refreshToken } = own.tokens;
    const isOver = row === undefined || row.ended !== undefined || isExpired(row);
    if (isOver || !isGenuine(row, own.secret) || refreshToken === undefined) {
      held.delete(id);
      return;
    }
    own.checkAt = now + RETRY_MS;
    let omitted = '';
    try {
      const fresh = await through.provider.refresh(refreshToken);
      // The old refresh token may be used up, whatever happens next.
      own.tokens = {
        ...fresh,
        idToken: fresh.idToken ?? own.tokens.idToken,
        refreshToken: fresh.refreshToken ?? refreshToken,
      };
      const of = { issuedAt: own.issuedAt, subject: row.subject ?? '' };
      const stated = await through.provider.confirm(fresh, of);
      ({ omitted } = stated);
      own.issuedAt = stated.issuedAt;
      const { recheckMs } = through.settings;
      const roles = JSON.stringify(rolesOf(stated.claims, through.settings));
      const confirmed = { ...row, roles, confirmedUntil: now + recheckMs };
      await facts().confirmSession({ ...confirmed, proof: proofOf(confirmed, own.secret) });
      own.checkAt = now + recheckMs / 2;
    } catch (error) {
      if (!(error instanceof SignInError)) throw error;
      const { code } = error;
      const isOmitted = error.reason === 'claim-missing';
      const reason = isOmitted ? omitted : error.reason;
      if (code === 'provider-unavailable' || code === 'provider-refused') {
        logger.log('warn', 'session-not-confirmed', { code, reason });
        if (clock.now() >= row.confirmedUntil) await endByCheck(row, notConfirmed(signIn, reason));
        return;
      }
      logger.log(isOmitted ? 'warn' : 'info', 'session-ended-by-provider', { code, reason });
      await endByCheck(row, isOmitted ? notStated(through.settings, omitted) : reasonOf(error));
    }
  }

  return {
    beginForToken(token) {
      const startedAt = clock.now();
      const endsAt = startedAt + LONGEST_MS;
      const times = { startedAt, endsAt, confirmedUntil: endsAt };
      return begin({ name: token.name, ...times }, token);
    },

    async beginForPerson({ identity, tokens }) {
      if (signIn === undefined) throw new TypeError('No OpenID provider is configured.');
      const { claims, issuedAt, issuer, providerSession, subject } = identity;
      const roles = rolesOf(claims, signIn);
      const scopes = scopesOf(roles, signIn) ?? [];
      const name = await facts().nameOfPerson({ issuer, subject }, nameOf(claims, signIn));
      const startedAt = clock.now();
      const isLong = tokens.refreshToken !== undefined;
      const endsAt = startedAt + (isLong ? LONGEST_MS : UNCONFIRMED_MS);
      const confirmedUntil = isLong ? startedAt + signIn.recheckMs : endsAt;
      const begun = await begin(
        {
          name,
          issuer,
          subject,
          providerSession,
          roles: JSON.stringify(roles),
          startedAt,
          endsAt,
          confirmedUntil,
        },
        { name, scopes, setting: 'RECONCILIATION_OIDC_ROLES' },
      );
      const checkAt = isLong ? startedAt + signIn.recheckMs / 2 : endsAt;
      held.set(begun.session.id, { secret: begun.secret, tokens, issuedAt, checkAt });
      return begun;
    },

    async find(secrets) {
      const byId = new Map(secrets.map((secret) => [idOf(secret), secret]));
      const rows = await facts().sessions([...byId.keys()]);
      return rows
        .flatMap((row) => read(row, byId.get(row.id) ?? '') ?? [])
        .toSorted((a, b) => b.startedAt - a.startedAt);
    },

    async renew(session) {
      const idleEndsAt = Math.min(clock.now() + IDLE_MS, session.endsAt);
      await facts().renewSession(session.id, idleEndsAt);
      return { ...session, idleEndsAt };
    },

    async end({ caller, id }) {
      const idToken = held.get(id)?.tokens.idToken;
      held.delete(id);
      await facts().endSessions({ id }, 'You have signed out.');
      // A token has no session at the provider.
      if (provider === undefined || caller.setting === undefined) return undefined;
      try {
        return await provider.endSessionUrl(idToken);
      } catch (error) {
        if (!(error instanceof SignInError)) throw error;
        // This program's session has ended, but the provider's continues.
        const { code, reason } = error;
        logger.log('warn', 'provider-session-not-ended', { code, reason });
        return undefined;
      }
    },

    async endByProvider({ issuedAt, ...which }) {
      // The clocks may differ, and a session begins after the provider's.
      const startedBefore = issuedAt + TOLERANCE_MS;
      const why = 'The OpenID provider has ended your session.';
      const ended = await facts().endSessions({ ...which, startedBefore }, why);
      for (const name of ended) await trail.signedOut(name, 'provider');
    },

    async confirmDue() {
      if (provider === undefined || signIn === undefined) return;
      const through = { settings: signIn, provider };
      const due = [...held].filter(([, { checkAt }]) => clock.now() >= checkAt);
      await Promise.all(due.map(([id, own]) => check(id, own, through)));
    },
  };
}

const TOLERANCE_MS = 30_000;
const texts = z.array(z.string());
const sessionOf = (row: Omit<SessionRow, 'proof'>, caller: Caller<Scope>): ConsoleSession => ({
  id: row.id,
  caller,
  person:
    row.issuer === undefined || row.subject === undefined
      ? undefined
      : { issuer: row.issuer, subject: row.subject },
  startedAt: row.startedAt,
  idleEndsAt: row.idleEndsAt,
  endsAt: row.endsAt,
});
const idOf = (secret: string) => createHash('sha256').update(secret).digest('base64url');

const NO_ROLE = 'None of your roles permits anything in this program any longer.';

function notConfirmed(settings: SignInSettings | undefined, reason?: string): string {
  const minutes = (settings?.recheckMs ?? 0) / 60_000;
  const within = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  const why = reason === undefined ? '' : ` (${reason})`;
  return `The OpenID provider has not confirmed your session within ${within}${why}. Sign in again.`;
}

const reasonOf = ({ code }: SignInError) =>
  code === 'expired'
    ? 'The OpenID provider does not continue your session.'
    : code === 'too-many-groups'
      ? 'The OpenID provider leaves your groups out, because you are in too many.'
      : code === 'no-role'
        ? NO_ROLE
        : 'The answer of the OpenID provider does not confirm your session.';

/** Says which claims the provider would have to send to keep the session alive. */
const notStated = ({ rolesClaim }: SignInSettings, omitted: string) =>
  `The OpenID provider no longer states your roles, the claim "${rolesClaim}": ${omitted}.`;
