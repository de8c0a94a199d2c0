import { equalInConstantTime } from '@financing-checkout/kit';
import { route } from '@financing-checkout/kit/http';
import { PROTOCOL_VERSION } from '@financing-checkout/contract/storefront';
import type { Context, MiddlewareHandler } from 'hono';
import type { CompanionRoute } from '../platform/http/route.ts';
import type { Env } from '../platform/http/requests.ts';
import type { TripWire } from '../keys/key-ring.ts';
import type { Counters } from '../platform/counters.ts';
import type { Logger } from '../platform/logger.ts';
import { ProblemError } from '../platform/problem.ts';

const PREFLIGHT_SECONDS = '600';

/**
 * Headers that a page may send. Tracing tools add the last four to every fetch of a page (W3C Trace
 * Context, W3C Baggage, Sentry), and a browser blocks a request with a header that is not allowed.
 */
const ALLOWED_HEADERS = [
  'authorization, content-type, idempotency-key, financing-checkout-version, financing-checkout-secret',
  'traceparent, tracestate, baggage, sentry-trace',
].join(', ');

/** Creates a route that pages call with the Public API Key. */
export function describePublic<const Described extends Omit<CompanionRoute, 'scope'>>(
  described: Described,
) {
  return route({
    ...described,
    scope: 'public key',
    headers: {
      'Financing-Checkout-Version': 'Version of this protocol: "1".',
      ...described.headers,
    },
    security: [{ 'public-key': [] }],
    problems: [
      'invalid-request',
      'version-unsupported',
      'private-key-exposed',
      'public-key-invalid',
      'origin-not-allowed',
      'request-too-large',
      'rate-limited',
      'store-unavailable',
      'internal',
      ...(described.body === undefined ? [] : (['media-type-unsupported'] as const)),
      ...(described.problems ?? []),
    ],
  });
}

/**
 * Throws the reason why a request is refused, or returns a response; undefined lets the request
 * continue.
 */
export type Guard = (c: Context<Env>) => Response | undefined;

/**
 * Runs guards in order, as one middleware: separate middleware would cost several more promises.
 */
export function guarded(guards: readonly Guard[]): MiddlewareHandler<Env> {
  return async function guard(c, next) {
    for (const refuse of guards) {
      const answer = refuse(c);
      if (answer !== undefined) return answer;
    }
    await next();
  };
}

/** Lets pages of the allowed origins read every answer, including refusals. */
export function nameOrigins(origins: readonly string[]): MiddlewareHandler<Env> {
  const allowed = new Set(origins);
  return function nameOrigins(c, next) {
    const headers = c.get('headers');
    headers.vary = 'Origin';
    const origin = c.req.header('origin');
    if (origin !== undefined && allowed.has(origin)) {
      headers['access-control-allow-origin'] = origin;
      headers['access-control-expose-headers'] = 'x-request-id, retry-after';
    }
    return next();
  };
}

/**
 * Returns the origin of the page that sends a request. Under some referrer policies browsers send "null"
 * as Origin; then the Referer contains the origin, which a page cannot forge either.
 */
export function originOf(c: Context<Env>): string | undefined {
  const origin = c.req.header('origin');
  if (origin !== undefined && origin !== 'null') return origin;
  const referer = c.req.header('referer') ?? '';
  return URL.canParse(referer) ? new URL(referer).origin : undefined;
}

const foreignSites = new Set<string | undefined>(['cross-site', 'same-site']);

/**
 * Returns whether a browser sent a request from a page of another origin, which the guards of each
 * route refuse. Any page can cause many such requests, for example with images, so they must not
 * use up the limits for visitors to allowed pages.
 */
export function foreignPages(origins: readonly string[]): (c: Context<Env>) => boolean {
  const allowed = new Set(origins);
  return (c) =>
    c.req.header('origin') === undefined
      ? // A page's request with the public key has an Origin, except to the page's own origin.
        foreignSites.has(c.req.header('sec-fetch-site'))
      : !allowed.has(originOf(c) ?? '');
}

/**
 * Refuses a request from another origin before any work; omitting CORS headers would only hide the
 * response. Answers preflight requests.
 */
export function refuseOrigins(origins: readonly string[]): Guard {
  const allowed = new Set(origins);
  return function refuseOrigins(c) {
    const origin = c.req.header('origin');
    const reading = c.req.method === 'GET' || c.req.method === 'HEAD';
    if (origin === undefined ? !reading : !allowed.has(origin)) {
      throw new ProblemError('origin-not-allowed', {
        detail: 'Add the origin of the page to COMPANION_ALLOWED_ORIGINS.',
      });
    }
    if (c.req.method === 'OPTIONS') {
      c.header('access-control-allow-methods', 'GET, POST');
      c.header('access-control-allow-headers', ALLOWED_HEADERS);
      c.header('access-control-max-age', PREFLIGHT_SECONDS);
      return c.body(null, 204);
    }
    return undefined;
  };
}

/**
 * Refuses a request that contains the private key anywhere: the key is in a browser and must be
 * rotated (specification 5.6). No part of such a request is used or forwarded.
 */
export function refusePrivateKey(options: {
  tripWire: TripWire;
  logger: Logger;
  counters: Counters;
}): Guard {
  const { tripWire, logger, counters } = options;
  return function refusePrivateKey(c) {
    if (tripWire([c.req.url, c.get('body'), ...headerTexts(c)].join('\n'))) {
      counters.increment('private-key-exposed');
      logger.log('error', 'private-key-exposed', {
        security: true,
        requestId: c.get('requestId'),
      });
      throw new ProblemError('private-key-exposed', {
        detail:
          'A page sent the Private API Key, and every visitor of that page can read it. Rotate the key, then use the Public API Key in the page. If the page has the Public API Key, the two keys of the companion are swapped: run financing-companion doctor.',
      });
    }
    return undefined;
  };
}

export function requirePublicKey(publicKey: string): Guard {
  return function requirePublicKey(c) {
    const match = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '');
    if (!equalInConstantTime(match?.[1] ?? '', publicKey)) {
      c.header('www-authenticate', 'Bearer');
      throw new ProblemError('public-key-invalid', {
        detail: 'Send "Authorization: Bearer <Public API Key>" of this companion\'s environment.',
      });
    }
    return undefined;
  };
}

export function requireVersion(): Guard {
  return function requireVersion(c) {
    if (c.req.header('financing-checkout-version') !== PROTOCOL_VERSION) {
      throw new ProblemError('version-unsupported', {
        detail: `Send "Financing-Checkout-Version: ${PROTOCOL_VERSION}", or use an element of the same release as the companion.`,
      });
    }
    return undefined;
  };
}

/** Returns header names and values. Uses Node's parsed headers without copying them. */
function headerTexts(c: Context<Env>): string[] {
  const { incoming } = (c.env ?? {}) as { incoming?: { rawHeaders?: string[] } };
  return incoming?.rawHeaders ?? Array.from(c.req.raw.headers).flat();
}
