import { equalInConstantTime } from '@financing-checkout/kit';
import { primeRequestSchema } from '@financing-checkout/contract/storefront';
import type { Context } from 'hono';
import { Hono } from 'hono';
import { matchedRoutes } from 'hono/route';
import { z } from 'zod';
import { startCheckout } from '../checkout/start.ts';
import { refuseMethod, route } from '@financing-checkout/kit/http';
import { parseValue, serve } from '../platform/http/route.ts';
import { type Env, problemAnswers } from '../platform/http/requests.ts';
import type { Logger } from '../platform/logger.ts';
import { ProblemError } from '../platform/problem.ts';
import { limitAddresses, limitEach } from '../platform/http/rate-limit.ts';
import type { StorefrontContext } from './context.ts';
import { foreignPages, type Guard, originOf, refusePrivateKey } from './guards.ts';
import { startFailedPage } from './start-page.ts';
import { MAX_TICKET_BODY_BYTES } from './bodies.ts';

const PATH = '/checkout/start';

/** The fields of the form. A redirect needs a return URL. */
const startFormSchema = z.strictObject({
  ...primeRequestSchema.omit({ shown: true, via: true }).shape,
  returnUrl: primeRequestSchema.shape.returnUrl.unwrap(),
  publicKey: z.string().min(1).max(512),
});

const page = { contentTypes: ['text/html'], schema: z.string() };
const start = route({
  method: 'post',
  path: PATH,
  summary: 'Begin a checkout with a form, without script',
  scope: 'public key',
  priorities: ['charge', 'checkout'],
  budgets: ['address', 'key', 'starts', 'order'],
  maxBodyBytes: MAX_TICKET_BODY_BYTES,
  body: { schema: startFormSchema, contentTypes: ['application/x-www-form-urlencoded'] },
  answers: {
    303: { description: 'On to the hosted page.' },
    '4XX': { description: 'A page for the shopper: what to do.', ...page },
    '5XX': { description: 'A page for the shopper: try later.', ...page },
  },
});

export const startOperations = [start];

/**
 * Starts a checkout from the form of a page without JavaScript: primes, and redirects the browser
 * to the hosted page. Errors are HTML pages, because a shopper reads them.
 * @param limits the rate limits for requests with the public key
 */
export function startRoutes(ctx: StorefrontContext, limits: readonly Guard[]): Hono<Env> {
  const app = new Hono<Env>();
  const { allowedOrigins, clientAddress, clock, counters, logger, startBudget, tripWire } = ctx;
  const admit = limitEach(startBudget.perTicket, clock);
  const isForeign = foreignPages(allowedOrigins);
  const perClient = { ...startBudget, clientAddress, isForeign, clock, logger };
  for (const limit of limitAddresses(perClient)) app.post(PATH, limit);
  const lookForPrivateKey = refusePrivateKey({ tripWire, logger, counters });

  serve(app, start, async (c) => {
    const origin = originOf(c);
    lookForPrivateKey(c);
    if (origin === undefined || !allowedOrigins.includes(origin)) {
      throw new ProblemError('origin-not-allowed');
    }
    const { publicKey, ...body } = parseForm(c, new URLSearchParams(c.get('body')));
    if (!equalInConstantTime(publicKey, ctx.publicKey)) {
      throw new ProblemError('public-key-invalid');
    }
    for (const limit of limits) limit(c);
    const url = await startCheckout(ctx, {
      body,
      origin,
      request: c.req.raw,
      requestId: c.get('requestId'),
      admit,
    });
    // 303: the browser continues with GET, and "back" does not submit the form again.
    return c.redirect(url, 303);
  });
  app.all(PATH, refuseMethod('POST'));
  return app;
}

/**
 * Returns an error handler that returns an HTML page for requests from the form, and undefined for
 * others.
 */
export function startFailures(allowedOrigins: readonly string[], logger: Logger) {
  const allowed = new Set(allowedOrigins);
  const { noteProblem } = problemAnswers(logger);

  return function answerStartFailure(
    error: Error,
    c: Context<Env>,
  ): Response | Promise<Response> | undefined {
    const isForm = matchedRoutes(c).some(({ path }) => path.endsWith(PATH));
    if (!isForm || c.req.method !== 'POST') return undefined;
    // The URL of the page may contain the key too. A body that was not read is undefined.
    const isExposed = error instanceof ProblemError && error.code === 'private-key-exposed';
    const returnUrl = new URLSearchParams(c.get('body')).get('returnUrl');
    return answerPage(c, error, backAddress(isExposed ? null : returnUrl, originOf(c)));
  };

  /** Returns the target of "back to the shop", which is always within the page's own origin. */
  function backAddress(text: string | null, origin: string | undefined): string | undefined {
    if (origin === undefined || !allowed.has(origin)) return undefined;
    return text !== null && URL.canParse(text) && new URL(text).origin === origin ? text : origin;
  }

  function answerPage(c: Context<Env>, error: Error, back: string | undefined) {
    const problem = noteProblem(error, c);
    const page = startFailedPage(problem, c.get('requestId'), back);
    c.header('content-security-policy', page.policy);
    c.header('referrer-policy', 'no-referrer');
    const { retryAfterSeconds } = problem.extras;
    if (retryAfterSeconds !== undefined) c.header('retry-after', String(retryAfterSeconds));
    return c.html(page.html, page.status);
  }
}

const formType = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

function parseForm(c: Context<Env>, fields: URLSearchParams): z.infer<typeof startFormSchema> {
  if (!formType.test(c.req.header('content-type') ?? '')) {
    throw new ProblemError('media-type-unsupported');
  }
  // A template may put line breaks around a value.
  const entries = [...fields]
    .map(([name, value]) => [name, value.trim()] as const)
    .filter(([, value]) => value !== '');
  // A repeated field is ambiguous.
  if (new Set(entries.map(([name]) => name)).size < entries.length) {
    throw new ProblemError('invalid-request');
  }
  return parseValue(startFormSchema, Object.fromEntries(entries));
}
