import {
  prequalificationRequestSchema,
  prequalificationSchema,
} from '@financing-checkout/contract';
import { Hono } from 'hono';
import type { CheckoutContext } from '../checkout/context.ts';
import { answerJson } from '../platform/http/answers.ts';
import { parseBody } from '../platform/http/parse.ts';
import type { Env } from '../platform/http/requests.ts';
import { primeKey } from '../platform/idempotency-key.ts';
import {
  openPrequalification,
  readPrequalification,
} from '../prequalification/prequalification.ts';
import { describePublic } from './guards.ts';

/**
 * Creates the routes of applications without a cart. They stand behind the guards of the storefront.
 * @param serviceProblems the problems of a request that calls the service
 */
export function prequalificationRoutes(
  ctx: CheckoutContext,
  serviceProblems: NonNullable<Parameters<typeof describePublic>[0]['problems']>,
): Hono<Env> {
  const app = new Hono<Env>();

  const open = describePublic({
    summary: 'Begin an application without a cart',
    description:
      'Opens a session at the financing service, once for each Idempotency-Key: the same key with the same body gets the same application. A checkout of the same shop can continue it for one hour.',
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
  app.post('/prequalifications', open, async (c) => {
    const key = primeKey(c.req.header('idempotency-key'));
    const body = parseBody(c, prequalificationRequestSchema);
    const prequalification = await openPrequalification(ctx, {
      body,
      key,
      // Set: the origin check refuses a POST without it.
      origin: c.req.header('origin') ?? '',
      requestId: c.get('requestId'),
    });
    return answerJson(c, prequalification, 201);
  });

  const read = describePublic({
    summary: 'Read an application without a cart',
    description:
      'As the service states it now. While the shopper can continue, `presentation` has a new session token, also for another page of the shop.',
    headers: {
      'Financing-Checkout-Secret':
        'The Idempotency-Key of the request that opened it. With another value the answer is `not-found`.',
    },
    answers: {
      200: { description: 'The application as it is now.', schema: prequalificationSchema },
    },
    problems: ['not-found', ...serviceProblems],
  });
  app.get('/prequalifications/:id', read, async (c) => {
    const prequalification = await readPrequalification(ctx, {
      id: c.req.param('id'),
      secret: c.req.header('financing-checkout-secret') ?? '',
      requestId: c.get('requestId'),
    });
    return answerJson(c, prequalification);
  });
  return app;
}
