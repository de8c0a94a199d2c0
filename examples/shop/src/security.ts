import { createMiddleware } from 'hono/factory';
import { secureHeaders } from 'hono/secure-headers';

export interface HeaderOptions {
  /** Origin of the shop. */
  origin: string;
  /** Origin of the companion's storefront API. */
  companionOrigin: string;
  /** Origin of the hosted checkout page. */
  hostedOrigin: string;
  /** Origin of the service's browser script, where the companion offers it. */
  sdkOrigin?: string | undefined;
}

/**
 * The headers of every answer. The policy allows the shop's own files, calls to the companion and
 * the hosted page in a frame; no inline script or style, no string that turns into script. The
 * service's browser script needs its origin for itself, for its requests and for its frame.
 */
export function headers({ origin, companionOrigin, hostedOrigin, sdkOrigin }: HeaderOptions) {
  const sdk = sdkOrigin === undefined ? [] : [sdkOrigin];
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'", ...sdk],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      connectSrc: ["'self'", companionOrigin, ...sdk],
      frameSrc: [...new Set([hostedOrigin, ...sdk])],
      // The form that starts financing without script goes to the companion, which sends the
      // browser on to the hosted page: a redirect after a form counts as its target.
      formAction: ["'self'", companionOrigin, hostedOrigin],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
      requireTrustedTypesFor: ["'script'"],
      // Lit makes one policy, for the text of its own templates; the widget one, for the address of
      // the service's script.
      trustedTypes: ['lit-html', ...sdk.map(() => 'financing-checkout')],
    },
    // A popup presentation answers through its opener.
    crossOriginOpenerPolicy: 'same-origin-allow-popups',
    // Not "no-referrer", nor "same-origin": browsers then send `Origin: null` with the shop's own
    // forms, or with the one to the companion (Fetch, "append a request Origin header"). Other
    // sites learn the shop's origin, and no address of an order.
    referrerPolicy: 'strict-origin-when-cross-origin',
    xFrameOptions: 'DENY',
    strictTransportSecurity: origin.startsWith('https:') ? 'max-age=31536000' : false,
  });
}

/**
 * Sends a page request that came under another name (http://127.0.0.1:3000) to the shop's origin:
 * the companion allows pages of that one only, and so does the shop's own check of forms.
 */
export function canonicalOrigin(origin: string) {
  const { host } = new URL(origin);
  return createMiddleware(async function canonicalOrigin(c, next) {
    const asked = c.req.header('host');
    if (asked !== undefined && asked !== host && c.req.method === 'GET') {
      const { pathname, search } = new URL(c.req.url);
      return c.redirect(`${origin}${pathname}${search}`, 307);
    }
    return next();
  });
}
