import { confirmationRequestSchema, primeRequestSchema } from '@financing-checkout/contract';
import type { Context } from 'hono';
import { Hono } from 'hono';
import type { z } from 'zod';
import { cancelCheckout } from '../checkout/application.ts';
import { readCheckout } from '../checkout/attention.ts';
import { confirmCheckout } from '../checkout/confirmation.ts';
import { toCheckoutAnswer } from '../checkout/presentation.ts';
import { primeCheckout } from '../checkout/prime.ts';
import { isOrigin } from '../config/values.ts';
import { type Env, problemAnswers, readBody, requestLog } from '../http/requests.ts';
import { idempotencyKey } from '../idempotency/key.ts';
import { type CompanionOptions, resolveOptions } from '../options.ts';
import { fieldErrors } from '../problem/field-errors.ts';
import { ProblemError } from '../problem/problem.ts';
import { allowOrigins, refusePrivateKey, requirePublicKey, requireVersion } from './guards.ts';

/** An order ticket of the largest allowed order fits with room to spare. */
const MAX_BODY_BYTES = 65_536;

/**
 * The storefront API: what `<financing-checkout>` calls. A Hono app, to be served by itself or
 * mounted in another one.
 *
 * @example
 * ```ts
 * const app = new Hono();
 * app.route('/financing', createStorefrontApi(options));
 * ```
 * @throws {TypeError} for options that contradict each other, or that would give the key away
 */
export function createStorefrontApi(options: CompanionOptions): Hono<Env> {
  if (options.tripWire(options.publicKey)) {
    throw new TypeError('publicKey is the private key: every page would be given it.');
  }
  if (options.allowedOrigins.length === 0 || !options.allowedOrigins.every(isOrigin)) {
    throw new TypeError('allowedOrigins must be origins such as "https://shop.example".');
  }
  const ctx = resolveOptions(options);
  const { logger, counters, clock } = ctx;
  const app = new Hono<Env>();
  app.onError(problemAnswers(logger));
  app.use(
    requestLog({ logger, clock }),
    ...readBody(MAX_BODY_BYTES),
    allowOrigins(options.allowedOrigins),
    refusePrivateKey({ tripWire: options.tripWire, logger, counters }),
    requirePublicKey(options.publicKey),
    requireVersion(),
  );

  app.post('/checkout/prime', async (c) => {
    const key = idempotencyKey(c.req.header('idempotency-key'));
    const body = parseBody(c, primeRequestSchema);
    const checkout = await primeCheckout(ctx, {
      body,
      key,
      // The origin check lets no POST through without one.
      origin: c.req.header('origin') ?? '',
      request: c.req.raw,
      requestId: c.get('requestId'),
    });
    return c.json(toCheckoutAnswer(ctx, checkout), 201);
  });

  app.get('/checkout/:id', async (c) => {
    const checkout = await readCheckout(ctx, c.req.param('id'), c.get('requestId'));
    return c.json(toCheckoutAnswer(ctx, checkout));
  });

  app.post('/checkout/:id/confirmation', async (c) => {
    const { confirmationToken } = parseBody(c, confirmationRequestSchema);
    const checkout = await confirmCheckout(ctx, {
      checkoutId: c.req.param('id'),
      confirmationToken,
      requestId: c.get('requestId'),
    });
    return c.json(toCheckoutAnswer(ctx, checkout));
  });

  app.post('/checkout/:id/cancellation', async (c) => {
    const checkout = await cancelCheckout(ctx, c.req.param('id'), c.get('requestId'));
    return c.json(toCheckoutAnswer(ctx, checkout));
  });

  app.all('/checkout/prime', refuseMethod);
  app.all('/checkout/:id', refuseMethod);
  app.all('/checkout/:id/confirmation', refuseMethod);
  app.all('/checkout/:id/cancellation', refuseMethod);
  app.all('*', () => {
    throw new ProblemError('not-found');
  });
  return app;
}

function refuseMethod(): never {
  throw new ProblemError('method-not-allowed');
}

const jsonType = /^application\/json\s*(?:;|$)/i;

/** @throws {ProblemError} `media-type-unsupported`, or `invalid-request` with an error per field */
function parseBody<Schema extends z.ZodType>(c: Context<Env>, schema: Schema): z.infer<Schema> {
  // Checked by hand: a validator that is skipped when the type differs lets everything through.
  if (!jsonType.test(c.req.header('content-type') ?? '')) {
    throw new ProblemError('media-type-unsupported', {
      detail: 'Send "Content-Type: application/json".',
    });
  }
  let value: unknown;
  try {
    value = JSON.parse(c.get('body'));
  } catch {
    throw new ProblemError('invalid-request', { detail: 'The body is not JSON.' });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ProblemError('invalid-request', { errors: fieldErrors(parsed.error) });
}
