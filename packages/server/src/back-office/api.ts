import { isCurrency } from '@financing-checkout/contract';
import type { Context } from 'hono';
import { Hono } from 'hono';
import type { z } from 'zod';
import { serviceProblem } from '../checkout/service-problem.ts';
import { fundingPages } from '../fundings/pages.ts';
import { fundingsJson } from '../fundings/stream.ts';
import { refuseOtherMethods } from '../platform/http/methods.ts';
import { parseQuery } from '../platform/http/parse.ts';
import {
  type Env,
  problemAnswers,
  readBody,
  refuseCodings,
  refuseNul,
  requestLog,
} from '../platform/http/requests.ts';
import { streamText } from '../platform/http/stream.ts';
import { describeError } from '../platform/logger.ts';
import { silentMeter } from '../platform/meter.ts';
import { describedApis } from '../operating/apis.ts';
import { documentRoutes } from '../operating/documents.ts';
import { healthRoutes } from '../operating/health.ts';
import { type CompanionOptions, resolveOptions } from '../options.ts';
import { ProblemError } from '../platform/problem.ts';
import type { FundingsOperation } from '../service/client.ts';
import { CHECKOUTS_PAGE } from '../store/checkouts.ts';
import { version } from '../version.ts';
import { checkoutRecord } from '../webhook/message.ts';
import { requireToken } from './access.ts';
import { chargeRoutes } from './charges.ts';
import { ledgerRoutes } from './ledger.ts';
import { backOfficeOperations } from './operations.ts';
import { checkoutsQuery, pagesQuery, recordsQuery, reportQuery } from './queries.ts';
import { webhookRoutes } from './webhooks.ts';

const MAX_BODY_BYTES = 65_536;

/**
 * The back-office API: fundings and checkouts, for the merchant's own network.
 * @throws {TypeError} for options that contradict each other
 */
export function createBackOfficeApi(options: CompanionOptions): Hono<Env> {
  const ctx = resolveOptions(options);
  const { logger, clock, store, service } = ctx;
  const defaultCurrency = options.defaultCurrency ?? 'USD';
  if (!isCurrency(defaultCurrency)) throw new TypeError('defaultCurrency is not an ISO 4217 code.');
  const app = new Hono<Env>();
  app.onError(problemAnswers(logger));
  app.use(
    requestLog({ logger, clock, meter: options.meter ?? silentMeter, listener: 'back-office' }),
    refuseNul,
    refuseCodings,
    readBody(MAX_BODY_BYTES),
  );

  app.route('/', healthRoutes({ store, service, keys: options.keys, clock }));

  app.route('/', documentRoutes(version, describedApis));
  refuseOtherMethods(app);

  app.use(requireToken(options.backOfficeTokens ?? [], backOfficeOperations));

  const { metrics } = options;
  if (metrics) {
    app.get('/metrics', async (c) => {
      const { contentType, text } = await metrics();
      return c.body(text, 200, { 'content-type': contentType });
    });
  }

  app.get('/checkouts', async (c) => {
    const { merchantOrderId, after } = parseQuery(c, checkoutsQuery);
    const page = await store.findCheckoutsOfOrder(ctx.environment, merchantOrderId, after);
    const next = page.length < CHECKOUTS_PAGE ? undefined : page.at(-1)?.id;
    return c.json({ checkouts: page.map(checkoutRecord), ...(next === undefined ? {} : { next }) });
  });

  app.get('/fundings/report', (c) => {
    const query = parseQuery(c, reportQuery);
    return answerFundings(c, { ...query, operation: 'report' });
  });

  app.get('/fundings/records', (c) => {
    const { version, ...query } = parseQuery(c, recordsQuery);
    return answerFundings(c, { ...query, operation: `records-v${version}` });
  });

  app.get('/fundings/pages', async (c) => {
    const query = { ...parseQuery(c, pagesQuery), showMissing: true };
    const result = await service.fundingsPage(query, c.get('requestId'));
    if (result.kind !== 'accepted') throw serviceProblem(result, { movesMoney: false });
    return c.body(result.body, 200, {
      'content-type': 'application/json',
      'financing-environment': ctx.environment,
    });
  });

  app.route('/', chargeRoutes(ctx));
  app.route('/', ledgerRoutes(ctx));
  app.route('/', webhookRoutes(ctx));

  refuseOtherMethods(app);
  app.all('*', () => {
    throw new ProblemError('not-found');
  });
  return app;

  async function answerFundings(
    c: Context<Env>,
    request: z.infer<typeof reportQuery> & { operation: FundingsOperation },
  ): Promise<Response> {
    const requestId = c.get('requestId');
    const pieces = fundingsJson((onUnreadable) =>
      fundingPages(
        { environment: ctx.environment, service, store, defaultCurrency },
        request,
        requestId,
        onUnreadable,
      ),
    );
    // The first piece is made before the answer begins: most failures still get a status.
    const first = await pieces.next();
    const stream = streamText(first, pieces, (error) =>
      logger.log('error', 'fundings-cut-off', {
        requestId,
        ...(error instanceof ProblemError ? { code: error.code } : describeError(error)),
      }),
    );
    c.header('content-type', 'application/json');
    return c.body(stream);
  }
}
