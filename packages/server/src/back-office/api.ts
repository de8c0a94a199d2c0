import { officeCheckoutSchema } from '@financing-checkout/contract/back-office';
import {
  type Json,
  metricsRoute,
  readBody,
  refuseCodings,
  refuseNul,
  refuseOtherMethods,
  refuseRest,
  requireEnvironment,
  routesOf,
} from '@financing-checkout/kit/http';
import { Hono } from 'hono';
import { z } from 'zod';
import type { CheckoutContext } from '../checkout/context.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { type Env, problemAnswers, requestLog } from '../platform/http/requests.ts';
import { serve } from '../platform/http/route.ts';
import { ProblemError } from '../platform/problem.ts';
import type { Meter } from '../platform/meter.ts';
import { CHECKOUTS_PAGE } from '../store/checkouts.ts';
import { officeRecord } from '../store/checkout-record.ts';
import { ofTokens, permit, requireToken } from './access.ts';
import { chargeOperations, chargeRoutes } from './charges.ts';
import { documentOperations, documentRoutes } from './documents.ts';
import { fundingOperations, fundingRoutes } from './fundings.ts';
import { healthOperations, healthRoutes } from './health.ts';
import { ledgerOperations, ledgerRoutes } from './ledger.ts';
import { linkOperations, linkRoutes } from './links.ts';
import { webhookOperations, webhookRoutes } from './webhooks.ts';

const id = z.string().min(1).max(256);
const checkoutsQuery = z
  .strictObject({
    merchantOrderId: id.optional(),
    /**
     * The service's application ID: selects the latest 20 checkouts that continued the application.
     */
    applicationId: id.optional(),
    /** Cursor: `next` from the previous page of an order's checkouts. */
    after: z
      .string()
      .regex(/^chk_[\w-]{1,64}$/, 'must be the "next" of another page')
      .optional(),
  })
  .refine(
    ({ merchantOrderId, applicationId }) =>
      (merchantOrderId === undefined) !== (applicationId === undefined),
    { path: ['merchantOrderId'], error: 'or applicationId is required, and not both' },
  );

const measurements = permit('read', { ...metricsRoute, priorities: [], budgets: ofTokens });

const checkouts = permit('read', {
  method: 'get',
  path: '/checkouts',
  summary: 'The checkouts of an order or an application',
  priorities: [],
  budgets: ofTokens,
  maxBodyBytes: 0,
  description:
    'Those with a charge first, then the newest first. The next page is `after` the `next` of this one.',
  query: checkoutsQuery,
  answers: {
    200: {
      description:
        'A page: the content of the webhooks, sent or due, and `shown`: the financing message that the shopper saw before the checkout, in the words of the companion’s programmes; and `items`: what the order has.',
      schema: z.object({ checkouts: z.array(officeCheckoutSchema), next: z.string().optional() }),
    },
  },
});

/** All operations of the back-office API. `/metrics` is served only if metrics are provided. */
export const backOfficeOperations = [
  ...healthOperations,
  ...documentOperations,
  measurements,
  checkouts,
  ...fundingOperations,
  ...chargeOperations,
  ...ledgerOperations,
  ...linkOperations,
  ...webhookOperations,
];

export interface BackOfficeContext extends CheckoutContext {
  keys: KeyRing | undefined;
  meter: Meter;
  metrics: (() => Promise<{ contentType: string; text: string }>) | undefined;
}

/** Creates the routes of the back-office API, with their guards. @param document the OpenAPI document */
export function backOfficeRoutes(ctx: BackOfficeContext, document: () => Json): Hono<Env> {
  const { backOfficeTokens, clock, keys, logger, meter, metrics, service, store } = ctx;
  const app = new Hono<Env>();
  app.onError(problemAnswers(logger, ctx.docsUrl).answerProblem);
  app.use(
    requestLog({ logger, clock, meter, listener: 'back-office' }),
    refuseNul,
    requireEnvironment(
      ctx.environment,
      (detail) => new ProblemError('environment-mismatch', { detail }),
    ),
    refuseCodings,
    readBody,
  );

  app.route('/', healthRoutes({ store, service, keys, clock, programmes: ctx.programmes }));
  app.route('/', documentRoutes(document));
  refuseOtherMethods(app);

  app.use(requireToken(backOfficeTokens));

  if (metrics) {
    serve(app, measurements, async (c) => {
      const { contentType, text } = await metrics();
      return c.body(text, 200, { 'content-type': contentType });
    });
  }

  serve(app, checkouts, async (c, input) => {
    const { merchantOrderId = '', applicationId, after } = input.query();
    if (applicationId !== undefined) {
      const found = await store.findCheckoutsOfApplication(ctx.environment, applicationId);
      return c.json({ checkouts: found.map(officeRecord) });
    }
    const page = await store.findCheckoutsOfOrder(ctx.environment, merchantOrderId, after);
    const next = page.length < CHECKOUTS_PAGE ? undefined : page.at(-1)?.id;
    return c.json({ checkouts: page.map(officeRecord), next });
  });

  app.route('/', fundingRoutes(ctx));
  app.route('/', chargeRoutes(ctx));
  app.route('/', ledgerRoutes(ctx));
  app.route('/', linkRoutes(ctx));
  app.route('/', webhookRoutes(ctx));

  routesOf(app);
  refuseOtherMethods(app);
  app.all('*', refuseRest);
  return app;
}
