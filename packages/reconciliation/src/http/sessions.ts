import type { Clock } from '@financing-checkout/kit';
import type { Context } from 'hono';
import { ProblemError } from '../platform/problem.ts';
import type { Env } from './env.ts';
import { requireOwnPage } from './pages.ts';
import type { ConsoleCookie } from './session-cookie.ts';
import {
  type ConsoleSession,
  IDLE_MS,
  type PresentedSession,
  type SessionKind,
} from './session-kind.ts';

/** Sessions of the console, of each kind. */
export interface Sessions {
  /**
   * Returns the session of a request; undefined without a cookie. If there are several cookies with
   * the name, such as one from another program under another path, the newest valid one is used.
   * @throws {ProblemError} `origin-not-allowed`, `session-ended`, `provider-unavailable`
   */
  find(c: Context<Env>): Promise<FoundSession | undefined>;
  /**
   * Ends every session that the request presents, for all processes, and clears the cookie.
   * @returns the owner of the newest one; undefined without a cookie
   * @throws {ProblemError} `origin-not-allowed`, `session-ended`
   */
  end(c: Context<Env>): Promise<EndedSession | undefined>;
}

export interface EndedSession {
  name: string;
  /** Where the browser ends the provider's session, if there is one. */
  providerUrl: URL | undefined;
}

export interface FoundSession extends ConsoleSession {
  /** Extends the idle timeout. */
  renew(c: Context<Env>): Promise<ConsoleSession>;
}

/** @param url the URL under which a proxy serves the program */
export function createSessions(
  kinds: readonly SessionKind[],
  clock: Clock,
  cookie: ConsoleCookie,
  url: string | undefined,
): Sessions {
  /** Returns the values of all session cookies. Browsers send the one with the longest path first. */
  const cookiesOf = (c: Context<Env>) =>
    cookie
      .all(c)
      .filter(({ rest }) => rest === '')
      .map(({ value }) => value);

  /** Returns the sessions of the cookies whose signature and lifetime are valid, newest first. */
  async function presented(cookies: readonly string[]): Promise<PresentedSession[]> {
    const found = await Promise.all(kinds.map((kind) => kind.present(cookies)));
    return found
      .flat()
      .toSorted(
        ({ session: a }, { session: b }) => b.endsAt - a.endsAt || b.idleEndsAt - a.idleEndsAt,
      );
  }

  return {
    async find(c) {
      const cookies = cookiesOf(c);
      if (cookies.length === 0) return undefined;
      requireOwnPage(c.req, url);
      for (const one of await presented(cookies)) {
        const session = await one.current(c);
        if (session === undefined) continue;
        const renew = (at: Context<Env>) =>
          one.renew(at, Math.min(clock.now() + IDLE_MS, session.endsAt));
        return { ...session, renew };
      }
      throw ended();
    },

    async end(c) {
      const cookies = cookiesOf(c);
      if (cookies.length === 0) return undefined;
      requireOwnPage(c.req, url);
      const names: string[] = [];
      let providerUrl: URL | undefined;
      for (const one of await presented(cookies)) {
        const session = await one.current(c).catch((error: unknown) => {
          // A person can sign out while the provider does not answer.
          if (error instanceof ProblemError && error.code === 'provider-unavailable') {
            return one.session;
          }
          throw error;
        });
        if (session === undefined) continue;
        providerUrl ??= await one.end();
        names.push(session.caller.name);
      }
      const [name] = names;
      if (name === undefined) throw ended();
      // Only after the store has recorded the end: a user whose sign-out failed has to notice.
      cookie.clear(c, 'Strict');
      return { name, providerUrl };
    },
  };
}

const ended = () => new ProblemError('session-ended', { detail: 'Sign in to continue.' });
