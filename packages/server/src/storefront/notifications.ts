import { equalInConstantTime } from '@financing-checkout/kit';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { CheckoutContext } from '../checkout/context.ts';
import { MAX_SMALL_BODY_BYTES, refuseMethod, route } from '@financing-checkout/kit/http';
import { serve } from '../platform/http/route.ts';
import type { Env } from '../platform/http/requests.ts';
import { receiveNotification } from '../notifications/receive.ts';
import { ProblemError } from '../platform/problem.ts';

const notifications = route({
  method: 'post',
  path: '/notifications',
  summary: 'Take a notification of the financing service',
  scope: 'notification',
  priorities: [],
  budgets: { none: 'the service sends all from one address; impostors count as addresses' },
  maxBodyBytes: MAX_SMALL_BODY_BYTES,
  description: 'Its content is not trusted. It only says what to look up.',
  body: { schema: z.looseObject({}) },
  answers: {
    202: {
      description: 'Received: kept, repeated, noted without effect, or of an unknown kind.',
      schema: z.object({ received: z.enum(['kept', 'repeated', 'noted', 'unknown']) }),
    },
  },
  problems: ['token-invalid', 'not-found', 'request-too-large', 'store-unavailable', 'internal'],
  security: [{ notification: [] }],
});

export const notificationOperations = [notifications];

/**
 * Receives notifications from the service. They have no signature, only an Authorization value that
 * was agreed in advance, so their content is not trusted: it only says what to look up.
 */
export function notificationRoutes(ctx: CheckoutContext): Hono<Env> {
  const app = new Hono<Env>();
  serve(app, notifications, async (c, _, next) => {
    const given = c.req.header('authorization') ?? '';
    // Compare all values, so that the timing does not reveal which one was close.
    const matches = ctx.notificationAuthorizations
      .flatMap((agreed) => agreed.values())
      .map((agreed) => equalInConstantTime(agreed, given));
    if (!matches.includes(true)) {
      await next();
      return undefined;
    }
    ctx.counters.increment('notification');
    const received = await receiveNotification(ctx, c.get('body'));
    return c.json({ received }, 202);
  });
  return app;
}

/**
 * Refuses requests without the agreed value. Runs after the address limit, which applies to impostors
 * but not to the service.
 */
export function notificationRefusals({
  notificationAuthorizations: agreed,
}: Pick<CheckoutContext, 'notificationAuthorizations'>): Hono<Env> {
  const app = new Hono<Env>();
  app.all('/notifications', agreed.length === 0 ? refuseAll : refuseOther);
  return app;
}

/** Refuses all notifications: without an agreed value, no sender can be authenticated. */
function refuseAll(): never {
  throw new ProblemError('not-found');
}

function refuseOther({ req }: Context<Env>): never {
  if (req.method !== 'POST') return refuseMethod('POST')();
  throw new ProblemError('token-invalid', {
    detail: 'The Authorization value is not the agreed one (NOTIFICATION_AUTHORIZATION).',
  });
}
