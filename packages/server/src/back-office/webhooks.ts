import type { Delivery, DeliveryState } from '@financing-checkout/contract/back-office';
import { deliveriesSchema, deliveryStates } from '@financing-checkout/contract/back-office';
import { Hono } from 'hono';
import { z } from 'zod';
import type { CheckoutContext } from '../checkout/context.ts';
import { isoTime } from '@financing-checkout/kit';
import { MAX_SMALL_BODY_BYTES } from '@financing-checkout/kit/http';
import { serve } from '../platform/http/route.ts';
import type { Env } from '../platform/http/requests.ts';
import { ProblemError } from '../platform/problem.ts';
import type { ListedDelivery } from '../store/store.ts';
import { ofTokens, permit } from './access.ts';
import { inOrder, isInOrder, period, spanOf } from './period.ts';

const PAGE_SIZE = 200;

const webhooksQuery = z
  .strictObject({
    ...period,
    state: z
      .enum(deliveryStates, { error: `must be one of ${deliveryStates.join(', ')}` })
      .optional(),
    /** Cursor: `next` from the previous page. */
    after: z
      .string()
      .regex(/^\d{1,15}\.[\w-]{1,64}$/, 'must be the "next" of another page')
      .optional(),
  })
  .refine(isInOrder, inOrder);

const messages = permit('read', {
  method: 'get',
  path: '/webhooks',
  summary: 'Messages to the shop’s backend',
  priorities: [],
  budgets: ofTokens,
  maxBodyBytes: 0,
  query: webhooksQuery,
  answers: { 200: { description: 'A page, oldest first.', schema: deliveriesSchema } },
});

const replay = permit('webhooks', {
  method: 'post',
  path: '/webhooks/:id/replay',
  summary: 'Send a message again',
  priorities: [],
  budgets: ofTokens,
  maxBodyBytes: MAX_SMALL_BODY_BYTES,
  answers: {
    202: {
      description: 'It is due now.',
      schema: z.object({ id: z.string(), state: z.literal('waiting') }),
    },
  },
  problems: ['not-found'],
});

export const webhookOperations = [messages, replay];

export function webhookRoutes(
  ctx: Pick<CheckoutContext, 'environment' | 'store' | 'clock' | 'changed'>,
): Hono<Env> {
  const app = new Hono<Env>();

  serve(app, messages, async (c, input) => {
    const { state, after, ...created } = input.query();
    const rows = await ctx.store.listDeliveries({
      environment: ctx.environment,
      state,
      ...spanOf(created),
      after: after === undefined ? undefined : positionOf(after),
      limit: PAGE_SIZE + 1,
    });
    const page = rows.slice(0, PAGE_SIZE);
    const last = page.at(-1);
    const more = rows.length > PAGE_SIZE && last !== undefined;
    return c.json({
      deliveries: page.map(delivery),
      ...(more ? { next: `${last.createdAt}.${last.id}` } : {}),
    });
  });

  serve(app, replay, async (c) => {
    const id = c.req.param('id');
    if (!(await ctx.store.replayDelivery(ctx.environment, id, ctx.clock.now()))) {
      throw new ProblemError('not-found', { detail: 'There is no message with this id.' });
    }
    ctx.changed();
    return c.json({ id, state: 'waiting' satisfies DeliveryState }, 202);
  });
  return app;
}

function positionOf(cursor: string): { createdAt: number; id: string } {
  const point = cursor.indexOf('.');
  return { createdAt: Number(cursor.slice(0, point)), id: cursor.slice(point + 1) };
}

function delivery(row: ListedDelivery): Delivery {
  const state: DeliveryState =
    row.nextAttemptAt !== undefined
      ? 'waiting'
      : row.deliveredAt !== undefined
        ? 'delivered'
        : 'dead';
  return {
    id: row.id,
    checkoutId: row.checkoutId,
    state,
    tries: row.tries,
    reason: row.reason,
    createdAt: isoTime(row.createdAt),
    ...(row.nextAttemptAt === undefined ? {} : { nextTryAt: isoTime(row.nextAttemptAt) }),
    ...(row.deliveredAt === undefined ? {} : { deliveredAt: isoTime(row.deliveredAt) }),
  };
}
