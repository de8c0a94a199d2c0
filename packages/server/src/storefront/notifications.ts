import { type Context, Hono } from 'hono';
import type { CheckoutContext } from '../checkout/context.ts';
import { refuseMethod } from '../platform/http/methods.ts';
import type { Env } from '../platform/http/requests.ts';
import type { Secret } from '../keys/secret.ts';
import { receiveNotification } from '../notifications/receive.ts';
import { ProblemError } from '../platform/problem.ts';

/**
 * `POST /notifications`: what the service sends the merchant. It carries no signature, only an
 * Authorization value that was agreed in advance; so nothing in it is believed, it only says where
 * to look.
 */
export function notificationRoutes(
  ctx: CheckoutContext,
  authorizations: readonly Secret[],
): Hono<Env> {
  const app = new Hono<Env>();
  app.post('/notifications', async (c, next) => {
    const given = c.req.header('authorization') ?? '';
    // Every value is compared, so the time does not say which one was close.
    const matches = authorizations.map((authorization) => authorization.equals(given));
    if (!matches.includes(true)) return next();
    ctx.counters.increment('notification');
    const received = await receiveNotification(ctx, c.get('body'));
    return c.json({ received }, 202);
  });
  return app;
}

/**
 * Refuses what the routes above let by. Behind the limit of addresses: the service is not held to it,
 * and who only says to be the service is.
 */
export function notificationRefusals(authorizations: readonly Secret[]): Hono<Env> {
  const app = new Hono<Env>();
  app.all('/notifications', authorizations.length === 0 ? refuseAll : refuseOther);
  return app;
}

/** Without an agreed value nobody can be told from anybody. */
function refuseAll(): never {
  throw new ProblemError('not-found');
}

function refuseOther({ req }: Context<Env>): never {
  if (req.method !== 'POST') return refuseMethod('POST')();
  throw new ProblemError('token-invalid', {
    detail: 'The Authorization value is not the one that was agreed (NOTIFICATION_AUTHORIZATION).',
  });
}
