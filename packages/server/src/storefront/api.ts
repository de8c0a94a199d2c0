import { confirmationRequestSchema, primeRequestSchema } from '@financing-checkout/contract';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { cancelCheckout } from '../checkout/application.ts';
import { readCheckout } from '../checkout/attention.ts';
import { confirmCheckout } from '../checkout/confirmation.ts';
import type { CheckoutContext } from '../checkout/context.ts';
import { toCheckoutAnswer } from '../checkout/presentation.ts';
import { primeCheckout } from '../checkout/prime.ts';
import { requireSecret } from '../checkout/secret.ts';
import type { Clock } from '../platform/clock.ts';
import { canonicalOrigin, isBearerValue, originProblem } from '../platform/http/origin.ts';
import { answerJson } from '../platform/http/answers.ts';
import { refuseMethod, refuseOtherMethods } from '../platform/http/methods.ts';
import { parseBody } from '../platform/http/parse.ts';
import { limitAddresses, limitKey, RateLimit } from '../platform/http/rate-limit.ts';
import {
  type Env,
  problemAnswers,
  refuseCodings,
  refuseNul,
  requestLog,
} from '../platform/http/requests.ts';
import { FixedPathRouter } from '../platform/http/router.ts';
import { primeKey } from '../idempotency/key.ts';
import type { Logger } from '../platform/logger.ts';
import { silentMeter } from '../platform/meter.ts';
import { type CompanionOptions, resolveOptions } from '../options.ts';
import { ProblemError } from '../platform/problem.ts';
import type { CheckoutRow } from '../store/store.ts';
import { readBodies } from './bodies.ts';
import {
  type Guard,
  guarded,
  nameOrigins,
  refuseOrigins,
  refusePrivateKey,
  requirePublicKey,
  requireVersion,
} from './guards.ts';
import { notificationRefusals, notificationRoutes } from './notifications.ts';
import { keepRefusals } from './refusals.ts';
import { startFailures, startRoutes } from './start.ts';

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
  if (!isBearerValue(options.publicKey)) {
    throw new TypeError('publicKey must be visible ASCII characters without spaces.');
  }
  const allowedOrigins = checkedOrigins(options.allowedOrigins);
  const ctx = resolveOptions(options);
  const { logger, counters, clock } = ctx;
  const app = new Hono<Env>({ router: new FixedPathRouter() });
  const answerStartFailure = startFailures(allowedOrigins, logger);
  const answerProblem = problemAnswers(logger);
  app.onError((error, c) => answerStartFailure(error, c) ?? answerProblem(error, c));
  app.use(
    requestLog({ logger, clock, meter: options.meter ?? silentMeter, listener: 'storefront' }),
    keepRefusals(ctx),
    // Before anything can fail: a page that may ask is told why it is refused.
    nameOrigins(allowedOrigins),
    refuseNul,
    refuseCodings,
  );
  answerProbes(app);
  app.use(readBodies());
  // From the service, many from one address: it is known by what it sends.
  const agreed = options.notificationAuthorizations ?? [];
  app.route('/', notificationRoutes(ctx, agreed));
  for (const limit of addressLimit(options, ctx)) app.use(limit);
  app.route('/', notificationRefusals(agreed));
  const limits = keyLimit(options, clock);
  // Not sent by a script of a page: it has guards of its own.
  app.route('/', startRoutes(ctx, { ...options, allowedOrigins }, limits));
  app.use(
    guarded([
      refuseOrigins(allowedOrigins),
      refusePrivateKey({ tripWire: options.tripWire, logger, counters }),
      requirePublicKey(options.publicKey),
      ...limits,
      requireVersion(),
    ]),
  );

  app.post('/checkout/prime', async (c) => {
    const key = primeKey(c.req.header('idempotency-key'));
    const body = parseBody(c, primeRequestSchema);
    const checkout = await primeCheckout(ctx, {
      body,
      key,
      // The origin check lets no POST through without one.
      origin: c.req.header('origin') ?? '',
      request: c.req.raw,
      requestId: c.get('requestId'),
    });
    c.set('checkoutId', checkout.id);
    const answer = toCheckoutAnswer(ctx, checkout);
    return answerJson(c, answer, answer.reversal === undefined ? 201 : 200);
  });

  // Here: the next path would take it for the id of a checkout.
  app.all('/checkout/prime', refuseMethod('POST'));

  app.get('/checkout/:id', async (c) => {
    const checkout = await about(ctx, c, (id) => readCheckout(ctx, id, c.get('requestId')));
    return answerJson(c, toCheckoutAnswer(ctx, checkout));
  });

  app.post('/checkout/:id/confirmation', async (c) => {
    const { confirmationToken, order } = parseBody(c, confirmationRequestSchema);
    const current =
      order === undefined
        ? undefined
        : { order, origin: c.req.header('origin') ?? '', request: c.req.raw };
    const requestId = c.get('requestId');
    const checkout = await about(ctx, c, (checkoutId) =>
      confirmCheckout(ctx, { checkoutId, confirmationToken, current, requestId }),
    );
    return answerJson(c, toCheckoutAnswer(ctx, checkout));
  });

  app.post('/checkout/:id/cancellation', async (c) => {
    const checkout = await about(ctx, c, (id) => cancelCheckout(ctx, id, c.get('requestId')));
    return answerJson(c, toCheckoutAnswer(ctx, checkout));
  });

  refuseOtherMethods(app);
  app.all('*', () => {
    throw new ProblemError('not-found');
  });
  return app;
}

/**
 * Does what a path asks for, for a page that has the secret of the checkout. Names the checkout in the
 * log once the secret has proved that there is one.
 */
async function about(
  ctx: CheckoutContext,
  c: Context<Env, '/checkout/:id'>,
  work: (checkoutId: string) => Promise<CheckoutRow>,
): Promise<CheckoutRow> {
  const id = c.req.param('id');
  await requireSecret(ctx, id, c.req.header('financing-checkout-secret') ?? '');
  c.set('checkoutId', id);
  return work(id);
}

/**
 * Answers balancers that probe the port of the traffic: `/livez`, and `OPTIONS /` as HAProxy sends it. Before
 * the limit of addresses, for all probes come from one. A page's preflight has an Origin and goes on.
 */
function answerProbes(app: Hono<Env>): void {
  app.get('/livez', (c) => answerJson(c, { status: 'ok' }));
  app.all('/livez', refuseMethod('GET'));
  app.all('/', (c, next) => {
    if (c.req.method !== 'OPTIONS' || c.req.header('origin') !== undefined) return next();
    return Promise.resolve(c.body(null, 204));
  });
}

/** @throws {TypeError} for an entry that no page can have as its origin, or without any */
function checkedOrigins(origins: readonly string[]): string[] {
  if (origins.length === 0) throw new TypeError('allowedOrigins must name at least one origin.');
  return origins.map((origin, index) => {
    const problem = originProblem(origin);
    if (problem !== undefined) throw new TypeError(`allowedOrigins[${index}] ${problem}.`);
    return canonicalOrigin(origin) ?? origin;
  });
}

function addressLimit(
  { addressLimit: perAddress = 0, clientAddress }: CompanionOptions,
  { clock, logger }: { clock: Clock; logger: Logger },
): MiddlewareHandler<Env>[] {
  if (perAddress === 0 || clientAddress === undefined) return [];
  return [limitAddresses({ perAddress, clientAddress, clock, logger })];
}

function keyLimit(options: CompanionOptions, clock: Clock): Guard[] {
  const { keyLimit = 0 } = options;
  return keyLimit === 0 ? [] : [limitKey(new RateLimit({ perMinute: keyLimit, clock }))];
}
