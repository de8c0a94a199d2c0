import { type AccessRequest, hostOf, isLoopbackHost } from '@financing-checkout/kit';
import { ProblemError } from '../platform/problem.ts';

/**
 * Values of Sec-Fetch-Site for requests that no other page made (Fetch Metadata). Programs do not
 * send this header.
 */
const ownSites = new Set<string | undefined>([undefined, 'none', 'same-origin']);
const reading = new Set(['GET', 'HEAD']);
/**
 * A custom header that another origin's page cannot send without permission (a CORS preflight
 * request).
 */
const PAGE_HEADER = 'financing-console';

/**
 * Requires that a request comes from a page of this origin. A request that changes something also
 * needs the page's custom header, and proof of its origin: Origin or Sec-Fetch-Site.
 * @param url the URL under which a proxy serves the program
 * @throws {ProblemError} `origin-not-allowed`
 */
export function requireOwnPage(request: AccessRequest, url: string | undefined): void {
  const origin = request.header('origin');
  const site = request.header('sec-fetch-site');
  const isOwn = origin === undefined || ownOrigins(request, url).includes(origin.toLowerCase());
  const isProven =
    reading.has(request.method) ||
    (request.header(PAGE_HEADER) === '1' && (origin !== undefined || site === 'same-origin'));
  if (ownSites.has(site) && isOwn && isProven) return;
  throw new ProblemError('origin-not-allowed', {
    detail:
      'Only a page of this origin may use a session. Behind a proxy that changes the Host header, set RECONCILIATION_URL to the address of the page.',
  });
}

function ownOrigins(request: AccessRequest, url: string | undefined): string[] {
  const host = hostOf(request).toLowerCase();
  return [
    `https://${host}`,
    ...(isLoopbackHost(host) ? [`http://${host}`] : []),
    ...(url === undefined ? [] : [new URL(url).origin]),
  ];
}
