import type { Context } from 'hono';
import { setCookie } from 'hono/cookie';
import { ProblemError } from '../platform/problem.ts';
import type { ConsoleSession, NewSession, Sessions } from '../sign-in/sessions.ts';
import type { Env } from './context.ts';
import { requireOwnPage } from './pages.ts';
import { consoleCookie } from './session-cookie.ts';

/** Console sessions, found by the cookies of requests. */
export interface BrowserSessions {
  /** Sets the cookie of a new session. */
  begin(c: Context<Env>, begun: NewSession): ConsoleSession;
  /**
   * Returns a request's session; undefined without a cookie. If several cookies have the name,
   * because another program sets one under another path, uses the newest valid one.
   * @throws {ProblemError} `origin-not-allowed`, `session-ended`
   */
  find(c: Context<Env>): Promise<ConsoleSession | undefined>;
  /**
   * Ends every session that the request presents, in all processes, and clears the cookie.
   * @returns the newest session; undefined without a cookie
   * @throws {ProblemError} `origin-not-allowed`, `session-ended`
   */
  end(
    c: Context<Env>,
  ): Promise<{ session: ConsoleSession; providerUrl: URL | undefined } | undefined>;
}

/** A browser has one cookie, or several if another program uses the same name. */
const MAX_COOKIES = 5;
const secretText = /^[\w-]{43}$/;

/** @param url the URL under which a proxy serves the program */
export function createBrowserSessions(
  sessions: Sessions,
  url: string | undefined,
): BrowserSessions {
  const cookie = consoleCookie('financing-console', url);

  /**
   * Returns the valid sessions among the request's cookies, newest first; undefined without a
   * cookie.
   */
  async function presented(
    c: Context<Env>,
  ): Promise<[ConsoleSession, ...ConsoleSession[]] | undefined> {
    // Browsers send the cookie with the longest path first.
    const cookies = cookie.all(c).filter(({ rest }) => rest === '');
    if (cookies.length === 0) return undefined;
    requireOwnPage(c.req, url);
    const secrets = cookies.map(({ value }) => value).filter((value) => secretText.test(value));
    const found = await sessions.find(secrets.slice(0, MAX_COOKIES));
    const [first, ...others] = found.filter((one) => 'caller' in one);
    if (first !== undefined) return [first, ...others];
    const [ended] = found.filter((one) => 'why' in one);
    throw new ProblemError('session-ended', { detail: ended?.why });
  }

  return {
    begin(c, { secret, session }) {
      const prefix = cookie.prefix(c);
      const options = { path: '/', httpOnly: true, sameSite: 'Strict', prefix } as const;
      setCookie(c, cookie.name(c), secret, options);
      return session;
    },

    find: async (c) => (await presented(c))?.[0],

    async end(c) {
      const found = await presented(c);
      if (found === undefined) return undefined;
      const urls: (URL | undefined)[] = [];
      for (const session of found) urls.push(await sessions.end(session));
      // Cleared only after the store has recorded the end, so that a user notices a failed sign-out.
      cookie.clear(c, 'Strict');
      return { session: found[0], providerUrl: urls.find((one) => one !== undefined) };
    },
  };
}
