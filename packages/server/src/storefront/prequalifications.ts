import {
  prequalificationRequestSchema,
  prequalificationSchema,
} from '@financing-checkout/contract/storefront';
import { Hono } from 'hono';
import { answerJson, MAX_SMALL_BODY_BYTES } from '@financing-checkout/kit/http';
import { serve, serviceProblems } from '../platform/http/route.ts';
import type { Env } from '../platform/http/requests.ts';
import { limitAddresses, limitTogether } from '../platform/http/rate-limit.ts';
import { primeKey } from '../platform/idempotency-key.ts';
import {
  openPrequalification,
  readPrequalification,
} from '../prequalification/prequalification.ts';
import type { StorefrontContext } from './context.ts';
import { describePublic, guarded } from './guards.ts';

const PATH = '/prequalifications';

const open = describePublic({
  method: 'post',
  path: PATH,
  summary: 'Begin an application without a cart',
  priorities: ['page'],
  budgets: ['address', 'key', 'applications'],
  maxBodyBytes: MAX_SMALL_BODY_BYTES,
  description:
    'Opens a session at the financing service, once for each Idempotency-Key: the same key with the same body gets the same application. `rate-limited` also when the client address, or all pages together, have used up the budget of this route. A checkout of the same shop can continue it for one hour.',
  headers: {
    'Idempotency-Key':
      '32 to 255 printable ASCII characters with at least 128 random bits, new for each start. It is the secret of the page for the application.',
  },
  body: { schema: prequalificationRequestSchema },
  answers: { 201: { description: 'The application.', schema: prequalificationSchema } },
  problems: [
    'idempotency-key-missing',
    'idempotency-in-flight',
    'idempotency-key-reused',
    'environment-mismatch',
    ...serviceProblems,
  ],
});

const read = describePublic({
  method: 'get',
  path: `${PATH}/:id`,
  summary: 'Read an application without a cart',
  priorities: ['page'],
  budgets: ['address', 'key'],
  maxBodyBytes: 0,
  description:
    'As the service states it, at most a few seconds old: repeated reads share one answer. While the shopper can continue, `presentation` has a current session token, also for another page of the shop.',
  headers: {
    'Financing-Checkout-Secret':
      'The Idempotency-Key of the request that opened it. With another value the answer is `not-found`.',
  },
  answers: {
    200: { description: 'The application as it is now.', schema: prequalificationSchema },
  },
  problems: ['not-found', ...serviceProblems],
});

export const prequalificationOperations = [open, read];

/**
 * Creates the routes for applications without a cart. The storefront's guards run before them.
 */
export function prequalificationRoutes(ctx: StorefrontContext): Hono<Env> {
  const app = new Hono<Env>();
  const { clientAddress, clock, logger, prequalificationBudget: budget } = ctx;

  // Before any work, so that requests from a refused address do not use up the shared budget.
  for (const limit of limitAddresses({ ...budget, clientAddress, clock, logger })) {
    app.post(PATH, limit);
  }
  app.post(PATH, guarded(limitTogether(budget.total, clock)));
  serve(app, open, async (c, input) => {
    const key = primeKey(c.req.header('idempotency-key'));
    const body = input.body();
    const prequalification = await openPrequalification(ctx, {
      body,
      key,
      // Always set, because the origin check refuses a POST without an Origin.
      origin: c.req.header('origin') ?? '',
      requestId: c.get('requestId'),
    });
    return answerJson(c, prequalification, 201);
  });

  serve(app, read, async (c) => {
    const prequalification = await readPrequalification(ctx, {
      id: c.req.param('id'),
      secret: c.req.header('financing-checkout-secret') ?? '',
      requestId: c.get('requestId'),
    });
    return answerJson(c, prequalification);
  });
  return app;
}
