import type { Context } from 'hono';
import { ProblemError } from '../platform/problem.ts';
import type { Env } from './env.ts';

const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;
/**
 * Values of Sec-Fetch-Site for requests that no other page made (Fetch Metadata). Programs send
 * none.
 */
const ownSites = new Set<string | undefined>([undefined, 'none', 'same-origin']);
const reading = new Set(['GET', 'HEAD']);
/** A page of another origin cannot send it without permission (a preflight request of CORS). */
const PAGE_HEADER = 'financing-console';

export function hostOf(c: Context<Env>): string {
  return c.req.header('host') ?? new URL(c.req.url).host;
}

export function isLoopbackHost(host: string): boolean {
  return loopbackHost.test(host);
}

/** Returns whether a request has the marks of a program: no page sends a request without them. */
export function isOfProgram(c: Context<Env>): boolean {
  const site = c.req.header('sec-fetch-site');
  return c.req.header('origin') === undefined && (site === undefined || site === 'none');
}

/**
 * Requires that a request comes from a page of this origin. One that changes something also needs
 * the page's own header, and a proof of its origin: Origin or Sec-Fetch-Site.
 * @param url the address under which a proxy serves the program
 * @throws {ProblemError} `origin-not-allowed`
 */
export function requireOwnPage(c: Context<Env>, url: string | undefined): void {
  const origin = c.req.header('origin');
  const site = c.req.header('sec-fetch-site');
  const isOwn = origin === undefined || ownOrigins(c, url).includes(origin.toLowerCase());
  const isProven =
    reading.has(c.req.method) ||
    (c.req.header(PAGE_HEADER) === '1' && (origin !== undefined || site === 'same-origin'));
  if (ownSites.has(site) && isOwn && isProven) return;
  throw new ProblemError('origin-not-allowed', {
    detail:
      'Only a page of this origin may use a session. Behind a proxy that changes the Host header, set RECONCILIATION_URL to the address of the page.',
  });
}

function ownOrigins(c: Context<Env>, url: string | undefined): string[] {
  const host = hostOf(c).toLowerCase();
  return [
    `https://${host}`,
    ...(isLoopbackHost(host) ? [`http://${host}`] : []),
    ...(url === undefined ? [] : [new URL(url).origin]),
  ];
}
