import { randomBytes } from 'node:crypto';
import { getCookie, setCookie } from 'hono/cookie';
import { createMiddleware } from 'hono/factory';

/** What each page request of the shop carries. */
export interface ShopEnv {
  Variables: {
    /** Random name of this browser: its cart and its orders. */
    visitor: string;
  };
}

const COOKIE = 'nook_visitor';

/**
 * Knows a browser again by a random id. The cookie holds nothing else. It is not readable by script
 * and (SameSite=Lax) not sent along when another site posts to this one.
 * @param secure Whether the shop is served over HTTPS.
 */
export function visitor(secure: boolean) {
  return createMiddleware<ShopEnv>(async function visitor(c, next) {
    const known = getCookie(c, COOKIE);
    const id = known && /^[\w-]{24}$/.test(known) ? known : randomBytes(18).toString('base64url');
    if (id !== known) {
      setCookie(c, COOKIE, id, {
        path: '/',
        httpOnly: true,
        sameSite: 'Lax',
        secure,
        maxAge: 180 * 24 * 60 * 60,
      });
    }
    c.set('visitor', id);
    await next();
  });
}
