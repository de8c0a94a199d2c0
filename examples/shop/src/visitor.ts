import { createHmac, randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { getSignedCookie, setSignedCookie } from 'hono/cookie';
import { createMiddleware } from 'hono/factory';

/** Variables that the shop sets for each page request. */
export interface ShopEnv {
  Variables: {
    /** This browser's random id, which owns its cart and its orders. */
    visitor: string;
    /** Returns this browser's next id: derived from the order form, or random without a form. */
    visitorAfter: (form: unknown) => string;
    /** Gives the browser another id. */
    renameVisitor: (name: string) => Promise<void>;
  };
}

const COOKIE = 'nook_visitor';

/**
 * Recognizes a browser by a random id that the shop has signed; rejects any other id. Scripts
 * cannot read the cookie, and browsers do not send it when another site posts a form
 * (SameSite=Lax). Under HTTPS its name begins with `__Host-`, so that no other host in the domain
 * can set it.
 *
 * An attacker can still plant a signed id in another browser. So the id changes with each order,
 * and the attacker does not know the id that owns the name and the address.
 * @param secure whether the shop is served over HTTPS
 * @param secret signs the ids
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
    // A second click on the same form leads to the same id. Without a form the id is random.
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

/** Returns 144 random bits, for an id or a form's token. */
export function randomId(): string {
  return randomBytes(18).toString('base64url');
}

function idOf(text: string, secret: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url').slice(0, 24);
}
