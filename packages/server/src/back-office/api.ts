import { isCurrency } from '@financing-checkout/contract';
import type { Context, MiddlewareHandler } from 'hono';
import { Hono } from 'hono';
import { z } from 'zod';
import { fundingPages } from '../fundings/pages.ts';
import { streamFundings } from '../fundings/stream.ts';
import { type Env, problemAnswers, readBody, requestLog } from '../http/requests.ts';
import type { Secret } from '../keys/secret.ts';
import { describeError } from '../observe/logger.ts';
import { type CompanionOptions, resolveOptions } from '../options.ts';
import { fieldErrors } from '../problem/field-errors.ts';
import { ProblemError } from '../problem/problem.ts';
import type { FundingsOperation } from '../service/client.ts';
import { checkoutRecord } from '../webhook/message.ts';

const MAX_BODY_BYTES = 65_536;

const isoMoment = z.union([z.iso.datetime({ offset: true }), z.iso.date()], {
  error: 'must be an ISO 8601 date or date-time',
});
/** "false" is false: a coerced boolean would make it true. */
const flag = z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] }).default(false);
const window = { from: isoMoment.optional(), to: isoMoment.optional(), showMissing: flag };
const reportQuery = z.strictObject(window);
const recordsQuery = z.strictObject({
  ...window,
  version: z.enum(['1', '2'], { error: 'must be 1 or 2' }).default('2'),
});
const checkoutsQuery = z.strictObject({ merchantOrderId: z.string().min(1).max(256) });

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
  app.use(requestLog({ logger, clock }), ...readBody(MAX_BODY_BYTES));

  app.get('/livez', (c) => c.json({ status: 'ok' }));
  app.get('/readyz', async (c) => {
    const store = await ctx.store.ping().then(
      () => 'ok',
      () => 'failed',
    );
    return c.json({ status: store, checks: { store } }, store === 'ok' ? 200 : 503);
  });

  app.use(requireToken(options.backOfficeToken));

  app.get('/checkouts', async (c) => {
    const { merchantOrderId } = parseQuery(c, checkoutsQuery);
    const checkouts = await store.findCheckoutsOfOrder(merchantOrderId);
    return c.json({ checkouts: checkouts.map(checkoutRecord) });
  });

  app.get('/fundings/report', (c) => {
    const query = parseQuery(c, reportQuery);
    return answerFundings(c, { ...query, operation: 'report' });
  });

  app.get('/fundings/records', (c) => {
    const { version, ...query } = parseQuery(c, recordsQuery);
    return answerFundings(c, { ...query, operation: `records-v${version}` });
  });

  app.all('*', () => {
    throw new ProblemError('not-found');
  });
  return app;

  async function answerFundings(
    c: Context<Env>,
    request: z.infer<typeof reportQuery> & { operation: FundingsOperation },
  ): Promise<Response> {
    const requestId = c.get('requestId');
    const pages = fundingPages({ service, store, defaultCurrency }, request, requestId);
    // The first page is read before the answer begins: most failures still get a status.
    const first = await pages.next();
    const stream = streamFundings(first.done === true ? [] : first.value, pages, (error) =>
      logger.log('error', 'fundings-cut-off', {
        requestId,
        ...(error instanceof ProblemError ? { code: error.code } : describeError(error)),
      }),
    );
    c.header('content-type', 'application/json');
    return c.body(stream);
  }
}

const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/**
 * Asks for the token. Without one the listener is on loopback, where every page in a browser on the
 * same machine can reach it: so no page may, and no name that somebody else's DNS gives out.
 */
function requireToken(token: Secret | undefined): MiddlewareHandler<Env> {
  return async function requireToken(c, next) {
    if (token === undefined) {
      const host = c.req.header('host') ?? new URL(c.req.url).host;
      if (c.req.header('origin') !== undefined || !loopbackHost.test(host)) {
        throw new ProblemError('origin-not-allowed', {
          detail: 'Without COMPANION_BACK_OFFICE_TOKEN only programs on this machine are answered.',
        });
      }
    } else {
      const match = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '');
      if (!token.equals(match?.[1] ?? '')) {
        c.header('www-authenticate', 'Bearer');
        throw new ProblemError('token-invalid', {
          detail: 'Send "Authorization: Bearer <COMPANION_BACK_OFFICE_TOKEN>".',
        });
      }
    }
    await next();
  };
}

function parseQuery<Schema extends z.ZodType>(c: Context<Env>, schema: Schema): z.infer<Schema> {
  const parsed = schema.safeParse(c.req.query());
  if (parsed.success) return parsed.data;
  throw new ProblemError('invalid-request', { errors: fieldErrors(parsed.error) });
}
