import { createHmac, randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { getSignedCookie, setSignedCookie } from 'hono/cookie';
import { createMiddleware } from 'hono/factory';

/** What each page request of the shop carries. */
export interface ShopEnv {
  Variables: {
    /** Random name of this browser: its cart and its orders. */
    visitor: string;
    /** Returns the name that this browser gets by an order with a form; without one, a random name. */
    visitorAfter: (form: unknown) => string;
    /** Gives the browser another name. */
    renameVisitor: (name: string) => Promise<void>;
  };
}

const COOKIE = 'nook_visitor';

/**
 * Knows a browser again by a random id, which the shop has signed: a value that it did not issue is
 * that of no visitor. The cookie is not readable by script and (SameSite=Lax) not sent along when
 * another site posts to this one. Under HTTPS its name begins with `__Host-`, so that no other host
 * of the domain can set it.
 *
 * A value that the shop issued can still be planted in another browser. So the id changes with each
 * order: who planted it does not know the one that name and address are under.
 * @param secure Whether the shop is served over HTTPS.
 * @param secret Signs the ids.
 */
export function visitor(secure: boolean, secret: string) {
  const prefix = secure ? 'host' : undefined;
  const name = (c: Context, id: string) =>
    setSignedCookie(c, COOKIE, id, secret, {
      path: '/',
      httpOnly: true,
      sameSite: 'Lax',
      secure,
      maxAge: 180 * 24 * 60 * 60,
      ...(prefix && { prefix }),
    });

  return createMiddleware<ShopEnv>(async function visitor(c, next) {
    const known = await getSignedCookie(c, secret, COOKIE, prefix);
    const isKnown = typeof known === 'string';
    const id = isKnown ? known : randomId();
    if (!isKnown) await name(c, id);
    c.set('visitor', id);
    // The second click on the same form leads to the same id. Without the form it cannot be known.
    c.set('visitorAfter', (form) =>
      typeof form === 'string' && /^[\w-]{24}$/.test(form)
        ? idOf(`${id}.${form}`, secret)
        : randomId(),
    );
    c.set('renameVisitor', async (next) => {
      await name(c, next);
      c.set('visitor', next);
    });
    await next();
  });
}

/** Returns 144 random bits: an id, or what makes a form one of its own. */
export function randomId(): string {
  return randomBytes(18).toString('base64url');
}

function idOf(text: string, secret: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url').slice(0, 24);
}
