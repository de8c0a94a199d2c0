import {
  checkoutSchema,
  confirmationRequestSchema,
  primeRequestSchema,
} from '@financing-checkout/contract/storefront';
import {
  answerJson,
  MAX_SMALL_BODY_BYTES,
  refuseCodings,
  refuseMethod,
  refuseNul,
  refuseOtherMethods,
  refuseRest,
  route,
  routesOf,
} from '@financing-checkout/kit/http';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { cancelCheckout } from '../checkout/lifecycle.ts';
import { readCheckout } from '../checkout/poller.ts';
import { confirmCheckout } from '../checkout/confirmation.ts';
import type { CheckoutContext } from '../checkout/context.ts';
import { presentCheckout } from '../checkout/presentation.ts';
import { openLink } from '../checkout/link.ts';
import { openSession } from '../checkout/session.ts';
import { requireSecret } from '../checkout/checkout.ts';
import { canonicalOrigin, originProblem } from '../config/base-url.ts';
import { isBearerValue } from '@financing-checkout/kit';
import { limitAddresses, limitTogether } from '../platform/http/rate-limit.ts';
import { takeTurns } from '../platform/http/turns.ts';
import { type Env, problemAnswers, requestLog } from '../platform/http/requests.ts';
import { serve, serviceProblems } from '../platform/http/route.ts';
import { primeKey } from '../platform/idempotency-key.ts';
import type { CheckoutRow } from '../store/store.ts';
import { MAX_TICKET_BODY_BYTES, readBodies } from './bodies.ts';
import type { StorefrontContext } from './context.ts';
import {
  describePublic,
  foreignPages,
  guarded,
  nameOrigins,
  refuseOrigins,
  refusePrivateKey,
  requirePublicKey,
  requireVersion,
} from './guards.ts';
import {
  notificationOperations,
  notificationRefusals,
  notificationRoutes,
} from './notifications.ts';
import { prequalificationOperations, prequalificationRoutes } from './prequalifications.ts';
import { lenientPrimeSchema, withReadableMessage } from './prime-body.ts';
import { programmeOperations, programmeRoutes } from './programmes.ts';
import { keepRefusals } from './refusals.ts';
import { startFailures, startOperations, startRoutes } from './start.ts';

const checkoutAnswer = { description: 'The checkout as it is now.', schema: checkoutSchema };
const secretHeader = {
  'Financing-Checkout-Secret':
    'The Idempotency-Key of the prime. With another value the answer is `checkout-not-found`.',
};

const prime = describePublic({
  method: 'post',
  path: '/checkout/prime',
  summary: 'Begin a checkout',
  priorities: ['charge', 'checkout'],
  budgets: ['address', 'key', 'order'],
  maxBodyBytes: MAX_TICKET_BODY_BYTES,
  description:
    'Checks the order ticket and primes a checkout at the financing service, once for each Idempotency-Key: the same key with the same body gets the same answer. With `via: "link"` the shopper continues on another device; while a link of the order lives, each new key gets the same checkout. `rate-limited` also when the order has used up its budget.',
  headers: {
    'Idempotency-Key':
      '32 to 255 printable ASCII characters with at least 128 random bits, new for each start. It is the secret of the page for the checkout.',
  },
  body: { schema: lenientPrimeSchema, documented: primeRequestSchema },
  answers: {
    200: {
      description:
        'The approved checkout of the order, which may be of another browser; with `reversal`, its charge was voided or refunded since, fully or in part. No new checkout was begun.',
      schema: checkoutSchema,
    },
    201: { description: 'The checkout, open.', schema: checkoutSchema },
  },
  problems: [
    'idempotency-key-missing',
    'idempotency-in-flight',
    'idempotency-key-reused',
    'environment-mismatch',
    'checkout-not-open',
    'order-ticket-invalid',
    'order-ticket-expired',
    'order-ticket-used',
    'order-totals-mismatch',
    'order-changed',
    ...serviceProblems,
  ],
});

const read = describePublic({
  method: 'get',
  path: '/checkout/:id',
  summary: 'Read a checkout',
  priorities: ['charge', 'checkout', 'refusal'],
  budgets: ['address', 'key'],
  maxBodyBytes: 0,
  description: 'After a reload, a redirect, or a closed tab.',
  headers: secretHeader,
  answers: { 200: checkoutAnswer },
  problems: ['checkout-not-found'],
});

const confirmation = describePublic({
  method: 'post',
  path: '/checkout/:id/confirmation',
  summary: 'Confirm a checkout',
  priorities: ['charge', 'checkout', 'refusal'],
  budgets: ['address', 'key', 'order'],
  maxBodyBytes: MAX_TICKET_BODY_BYTES,
  description:
    'Creates the charge and compares it with the primed order. `unavailable` with `retrySafe: false` means that the charge may exist: the companion looks it up, and the shopper must not pay another way until then. `rate-limited` also when the service has refused too many charges of the order.',
  headers: secretHeader,
  body: { schema: confirmationRequestSchema },
  answers: { 200: checkoutAnswer },
  problems: [
    'checkout-not-found',
    'checkout-not-open',
    'idempotency-in-flight',
    'environment-mismatch',
    'order-changed',
    'order-ticket-invalid',
    'order-ticket-expired',
    ...serviceProblems,
  ],
});

const cancellation = describePublic({
  method: 'post',
  path: '/checkout/:id/cancellation',
  summary: 'Leave a checkout',
  priorities: ['page'],
  budgets: ['address', 'key'],
  maxBodyBytes: MAX_SMALL_BODY_BYTES,
  description: 'Answers with the outcome that the financing service knows.',
  headers: secretHeader,
  answers: { 200: checkoutAnswer },
  problems: ['checkout-not-found', ...serviceProblems],
});

const liveness = route({
  method: 'get',
  path: '/livez',
  summary: 'Whether the process answers',
  scope: 'none',
  priorities: [],
  budgets: { none: 'all probes come from one address, and the answer is in memory' },
  maxBodyBytes: 0,
  answers: { 200: { description: 'It does.', schema: z.object({ status: z.literal('ok') }) } },
});

/** All operations of the storefront API. */
export const storefrontOperations = [
  liveness,
  ...programmeOperations,
  ...notificationOperations,
  ...startOperations,
  prime,
  read,
  confirmation,
  cancellation,
  ...prequalificationOperations,
];

/**
 * Creates the routes of the storefront API, with their guards.
 * @throws {TypeError} for conflicting options, or options that would expose the key
 */
export function storefrontRoutes(options: StorefrontContext): Hono<Env> {
  const { clientAddress, clock, counters, logger, meter, publicKey, tripWire } = options;
  if (tripWire(publicKey)) {
    throw new TypeError('publicKey is the private key, which every page would receive.');
  }
  if (!isBearerValue(publicKey)) {
    throw new TypeError('publicKey must be visible ASCII characters without spaces.');
  }
  const allowedOrigins = checkedOrigins(options.allowedOrigins);
  const ctx = { ...options, allowedOrigins };
  const app = new Hono<Env>();
  const answerStartFailure = startFailures(allowedOrigins, logger);
  const { answerProblem } = problemAnswers(logger, ctx.docsUrl);
  app.onError((error, c) => answerStartFailure(error, c) ?? answerProblem(error, c));
  app.use(
    requestLog({ logger, clock, meter, listener: 'storefront' }),
    keepRefusals(ctx),
    // Before anything can fail, so that an allowed page can read why its request is refused.
    nameOrigins(allowedOrigins),
    refuseNul,
    refuseCodings,
  );
  answerProbes(app);
  app.use(readBodies(clock));
  const lookForPrivateKey = refusePrivateKey({ tripWire, logger, counters });
  // Before the address limit, because a cache sends requests on behalf of many shoppers.
  app.route('/', programmeRoutes(ctx.programmes, lookForPrivateKey));
  // Before the address limit, because the service sends all notifications from one address.
  app.route('/', notificationRoutes(ctx));
  const isForeign = foreignPages(allowedOrigins);
  const perClient = { perAddress: ctx.addressLimit, clientAddress, isForeign, clock, logger };
  for (const limit of limitAddresses(perClient)) app.use(limit);
  for (const turn of takeTurns(ctx.addressConcurrency, clientAddress)) app.use(turn);
  app.route('/', notificationRefusals(ctx));
  const limits = limitTogether(ctx.keyLimit, clock);
  // The form is not submitted by a script, so it has its own guards.
  app.route('/', startRoutes(ctx, limits));
  app.use(
    guarded([
      refuseOrigins(allowedOrigins),
      lookForPrivateKey,
      requirePublicKey(publicKey),
      ...limits,
      requireVersion(),
    ]),
  );

  serve(app, prime, async (c, input) => {
    const key = primeKey(c.req.header('idempotency-key'));
    const body = withReadableMessage(input.body(), c.get('requestId'), logger);
    const open = body.via === 'link' ? openLink : openSession;
    const checkout = await open(ctx, {
      body,
      key,
      // Always set, because the origin check refuses a POST without an Origin.
      origin: c.req.header('origin') ?? '',
      request: c.req.raw,
      requestId: c.get('requestId'),
    });
    c.set('checkoutId', checkout.id);
    const answer = await presentCheckout(ctx, checkout);
    return answerJson(c, answer, answer.status === 'approved' ? 200 : 201);
  });

  // Before the next route, which would treat "prime" as a checkout id.
  app.all('/checkout/prime', refuseMethod('POST'));

  serve(app, read, async (c) => {
    const checkout = await withSecret(ctx, c, (id) => readCheckout(ctx, id, c.get('requestId')));
    return answerJson(c, await presentCheckout(ctx, checkout));
  });

  serve(app, confirmation, async (c, input) => {
    const { confirmationToken, order } = input.body();
    const current =
      order === undefined
        ? undefined
        : { order, origin: c.req.header('origin') ?? '', request: c.req.raw };
    const requestId = c.get('requestId');
    const checkout = await withSecret(ctx, c, (checkoutId) =>
      confirmCheckout(ctx, { checkoutId, confirmationToken, current, requestId }),
    );
    return answerJson(c, await presentCheckout(ctx, checkout));
  });

  serve(app, cancellation, async (c) => {
    const checkout = await withSecret(ctx, c, (id) => cancelCheckout(ctx, id, c.get('requestId')));
    return answerJson(c, await presentCheckout(ctx, checkout));
  });

  app.route('/', prequalificationRoutes(ctx));

  routesOf(app);
  refuseOtherMethods(app);
  app.all('*', refuseRest);
  return app;
}

/**
 * Runs `work` for a page that has the secret of the checkout. The log names the checkout only after
 * the secret has proved that the checkout exists.
 */
async function withSecret(
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
 * Answers load balancers that probe the traffic port: `/livez`, and `OPTIONS /` as HAProxy sends
 * it. Runs before the address limit, because all probes come from one address. A page's preflight
 * has an Origin and is passed on.
 */
function answerProbes(app: Hono<Env>): void {
  serve(app, liveness, (c) => answerJson(c, { status: 'ok' }));
  app.all('/livez', refuseMethod('GET'));
  app.all('/', (c, next) => {
    if (c.req.method !== 'OPTIONS' || c.req.header('origin') !== undefined) return next();
    return Promise.resolve(c.body(null, 204));
  });
}

/** @throws {TypeError} for an empty list, or an entry that cannot be the origin of a page */
function checkedOrigins(origins: readonly string[]): string[] {
  if (origins.length === 0) throw new TypeError('allowedOrigins must name at least one origin.');
  return origins.map((origin, index) => {
    const problem = originProblem(origin);
    if (problem !== undefined) throw new TypeError(`allowedOrigins[${index}] ${problem}.`);
    return canonicalOrigin(origin) ?? origin;
  });
}
