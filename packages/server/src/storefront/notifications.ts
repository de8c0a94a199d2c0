import { Hono } from 'hono';
import type { CheckoutContext } from '../checkout/context.ts';
import { refuseMethod } from '../http/methods.ts';
import type { Env } from '../http/requests.ts';
import type { Secret } from '../keys/secret.ts';
import { receiveNotification } from '../notifications/receive.ts';
import { ProblemError } from '../problem/problem.ts';

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
    if (authorizations.length === 0) return next();
    const given = c.req.header('authorization') ?? '';
    // Every value is compared, so the time does not say which one was close.
    const matches = authorizations.map((authorization) => authorization.equals(given));
    if (!matches.includes(true)) {
      throw new ProblemError('token-invalid', {
        detail:
          'The Authorization value is not the one that was agreed (NOTIFICATION_AUTHORIZATION).',
      });
    }
    ctx.counters.increment('notification');
    const received = await receiveNotification(ctx, c.get('body'));
    return c.json({ received }, 202);
  });
  app.all('/notifications', authorizations.length === 0 ? refuseAll : refuseMethod('POST'));
  return app;
}

/** Without an agreed value nobody can be told from anybody. */
function refuseAll(): never {
  throw new ProblemError('not-found');
}
