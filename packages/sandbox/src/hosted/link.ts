import { Hono, type Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { Application } from '../checkout/application.ts';
import type { Service } from '../service.ts';
import type { Outcome } from './message.ts';
import { addressOf, type Visit } from './visit.ts';

/** Name of the cookie that lets visitors return to the application that they opened. */
const OWN_APPLICATION = 'application';

/**
 * Serves the URL of a link, which opens a new application, or the visitor's own, and redirects to
 * the checkout page.
 * @param refuse sends the response for an unknown link (404) and for an ended one (410)
 */
export function linkRoutes(
  { keys, links }: Service,
  refuse: (c: Context, status: 404 | 410) => Response | Promise<Response>,
): Hono {
  const app = new Hono();
  app.get('/link/:linkId', (c) => {
    const link = links.byId(c.req.param('linkId'));
    if (!link) return refuse(c, 404);
    // Programs that only check a URL, such as mail scanners, must not open an application.
    if (c.req.raw.method === 'HEAD') return c.body(null);
    const application = links.open(link, getCookie(c, OWN_APPLICATION));
    if (!application) return refuse(c, 410);
    const { pathname: path, origin } = new URL(c.req.url);
    const { sessionToken: session } = application;
    setCookie(c, OWN_APPLICATION, session, { path, httpOnly: true, sameSite: 'Lax' });
    c.header('Cache-Control', 'no-store');
    c.header('Referrer-Policy', 'no-referrer');
    const key = keys.get(link.environment, 'public').value;
    const locale = link.request.applicationDetails.language ?? '';
    // No page of another origin may frame the checkout of a link, or receive its messages.
    return c.redirect(addressOf({ session, key, origin, returnUrl: '', locale }), 303);
  });
  return app;
}

/** The end of a visit that started from a link. */
export interface LinkEnd {
  /** The merchant's URL for this outcome; undefined if there is none, or while a lender decides. */
  address: string | undefined;
}

/** Returns the end of a link's own page; undefined for every other visit. */
export function linkEndOf(
  application: Application,
  visit: Visit,
  outcome: Outcome,
  { links }: Service,
): LinkEnd | undefined {
  const { environment, session } = application;
  const link = session.linkId === undefined ? undefined : links.byId(session.linkId, environment);
  if (!link || visit.origin !== links.hostedUrl) return undefined;
  const { onSuccessRedirectUrl, onFailureRedirectUrl } = link.request.linkOptions ?? {};
  if (outcome.type !== 'ended') return { address: onSuccessRedirectUrl };
  return { address: outcome.reason === 'pending' ? undefined : onFailureRedirectUrl };
}
