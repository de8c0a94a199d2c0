import { hostOf, isLoopbackHost } from '@financing-checkout/kit';
import type { Context } from 'hono';
import { deleteCookie } from 'hono/cookie';
import type { Env } from './context.ts';

/** A console cookie. Its name contains the port and, off loopback, the prefix `__Host-`. */
export interface ConsoleCookie {
  /** The name without the prefix, which Hono adds. */
  name(c: Context<Env>): string;
  /** Undefined on loopback, where a page may be served without TLS. */
  prefix(c: Context<Env>): 'host' | undefined;
  /** Returns the values of all cookies whose names begin with this name, with the rest of each name. */
  all(c: Context<Env>): { rest: string; value: string }[];
  /** Clears the cookie. @param rest the rest of its name */
  clear(c: Context<Env>, sameSite: 'Strict' | 'Lax', rest?: string): void;
}

/**
 * Browsers send cookies to all ports of a host, so the name contains the port to keep two programs
 * on one host from overwriting each other's session.
 * @param url the URL under which a proxy serves the program
 */
export function consoleCookie(name: string, url: string | undefined): ConsoleCookie {
  const isServedSecurely = url?.startsWith('https:') ?? false;
  const cookie: ConsoleCookie = {
    name: (c) => `${name}-${portOf(hostOf(c.req), url)}`,

    prefix: (c) => (isServedSecurely || !isLoopbackHost(hostOf(c.req)) ? 'host' : undefined),

    all(c) {
      const own = cookie.name(c);
      const begin = cookie.prefix(c) === undefined ? own : `__Host-${own}`;
      return (c.req.header('cookie') ?? '').split(';').flatMap((text) => {
        const [, rest = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text.trim()) ?? [];
        return rest.startsWith(begin) ? [{ rest: rest.slice(begin.length), value }] : [];
      });
    },

    clear(c, sameSite, rest = '') {
      const prefix = cookie.prefix(c);
      deleteCookie(c, cookie.name(c) + rest, { path: '/', httpOnly: true, sameSite, prefix });
    },
  };
  return cookie;
}

/** Returns the port through which a browser reaches the program. */
function portOf(host: string, url: string | undefined): string {
  if (url !== undefined) {
    const { port, protocol } = new URL(url);
    return port || (protocol === 'https:' ? '443' : '80');
  }
  return /:(\d{1,5})$/.exec(host)?.[1] ?? (isLoopbackHost(host) ? '80' : '443');
}
