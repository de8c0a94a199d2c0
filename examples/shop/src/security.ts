import { createMiddleware } from 'hono/factory';
import { secureHeaders } from 'hono/secure-headers';

export interface HeaderOptions {
  /** Origin of the shop. */
  origin: string;
  /** Origin of the companion's storefront API. */
  companionOrigin: string;
  /** Origin of the hosted checkout page. */
  hostedOrigin: string;
  /** Origin of the service's browser script, if the companion offers it. */
  sdkOrigin?: string | undefined;
}

/**
 * Sets the headers of every answer. The policy allows the shop's own files, requests to the companion and
 * the hosted page in a frame. It forbids inline scripts and styles, and strings that become scripts. The
 * service's browser script needs its origin for itself, its requests and its frame.
 */
export function headers({ origin, companionOrigin, hostedOrigin, sdkOrigin }: HeaderOptions) {
  const sdk = sdkOrigin === undefined ? [] : [sdkOrigin];
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'", ...sdk],
      styleSrc: ["'self'"],
      // The widget shows a link's QR code as a data URL.
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'", companionOrigin, ...sdk],
      frameSrc: [...new Set([hostedOrigin, ...sdk])],
      // Without a script, a form starts financing at the companion, which redirects to the hosted
      // page. Browsers apply form-action to that redirect, too.
      formAction: ["'self'", companionOrigin, hostedOrigin],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
      requireTrustedTypesFor: ["'script'"],
      // Lit creates a policy for its templates' text, and the widget one for the address of the
      // service's script.
      trustedTypes: ['lit-html', ...sdk.map(() => 'financing-checkout')],
    },
    // A popup sends its result through its opener.
    crossOriginOpenerPolicy: 'same-origin-allow-popups',
    // With "no-referrer" or "same-origin", browsers send `Origin: null` with the shop's own forms
    // or with the form to the companion (Fetch, "append a request Origin header"). With this value,
    // other sites learn the shop's origin, but no order's address.
    referrerPolicy: 'strict-origin-when-cross-origin',
    xFrameOptions: 'DENY',
    strictTransportSecurity: origin.startsWith('https:') ? 'max-age=31536000' : false,
  });
}

/**
 * Redirects page requests under another name (http://127.0.0.1:3000) to the shop's origin, because
 * the companion and the shop's own check of forms accept only that origin.
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
