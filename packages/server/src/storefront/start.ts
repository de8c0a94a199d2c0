import { primeRequestSchema } from '@financing-checkout/contract';
import type { Context } from 'hono';
import { Hono } from 'hono';
import { matchedRoutes } from 'hono/route';
import { z } from 'zod';
import type { CheckoutContext } from '../checkout/context.ts';
import { startCheckout } from '../checkout/start.ts';
import { refuseMethod } from '../platform/http/methods.ts';
import { parseValue } from '../platform/http/parse.ts';
import { type Env, noteProblem, problemOf } from '../platform/http/requests.ts';
import { equalInConstantTime } from '../keys/secret.ts';
import type { TripWire } from '../keys/trip-wire.ts';
import type { Logger } from '../platform/logger.ts';
import { ProblemError } from '../platform/problem.ts';
import { type Guard, refusePrivateKey } from './guards.ts';
import { startFailedPage } from './start-page.ts';

export interface StartOptions {
  publicKey: string;
  allowedOrigins: readonly string[];
  tripWire: TripWire;
}

const PATH = '/checkout/start';

/** The fields of the form. A redirect needs somewhere to come back to. */
export const startFormSchema = z.strictObject({
  ...primeRequestSchema.shape,
  returnUrl: primeRequestSchema.shape.returnUrl.unwrap(),
  publicKey: z.string().min(1).max(512),
});

/**
 * `POST /checkout/start`: a form of a page without script. Primes, and sends the browser on to the
 * hosted page; what goes wrong is a page, not JSON: a shopper reads it.
 * @param limits of those who come with the public key
 */
export function startRoutes(
  ctx: CheckoutContext,
  options: StartOptions,
  limits: readonly Guard[],
): Hono<Env> {
  const app = new Hono<Env>();
  const { counters, logger } = ctx;
  const lookForPrivateKey = refusePrivateKey({ tripWire: options.tripWire, logger, counters });

  app.post(PATH, async (c) => {
    const origin = originOf(c);
    lookForPrivateKey(c);
    if (origin === undefined || !options.allowedOrigins.includes(origin)) {
      throw new ProblemError('origin-not-allowed');
    }
    const { publicKey, ...body } = parseForm(c, new URLSearchParams(c.get('body')));
    if (!equalInConstantTime(publicKey, options.publicKey)) {
      throw new ProblemError('public-key-invalid');
    }
    for (const limit of limits) limit(c);
    const url = await startCheckout(ctx, {
      body,
      origin,
      request: c.req.raw,
      requestId: c.get('requestId'),
    });
    // 303: the browser goes on with a GET, and "back" does not send the form again.
    return c.redirect(url, 303);
  });
  app.all(PATH, refuseMethod('POST'));
  return app;
}

/** Answers a page for whatever is thrown about a form, also before its route has it; else nothing. */
export function startFailures(allowedOrigins: readonly string[], logger: Logger) {
  const allowed = new Set(allowedOrigins);

  return function answerStartFailure(error: Error, c: Context<Env>): Response | undefined {
    const isForm = matchedRoutes(c).some(({ path }) => path.endsWith(PATH));
    if (!isForm || c.req.method !== 'POST') return undefined;
    // The address of a page may hold the key, too. A body that was not read is undefined.
    const isExposed = error instanceof ProblemError && error.code === 'private-key-exposed';
    const returnUrl = new URLSearchParams(c.get('body')).get('returnUrl');
    return answerPage(c, error, backAddress(isExposed ? null : returnUrl, originOf(c)));
  };

  /** Where "back to the shop" leads: nowhere but to the page's own origin. */
  function backAddress(text: string | null, origin: string | undefined): string | undefined {
    if (origin === undefined || !allowed.has(origin)) return undefined;
    return text !== null && URL.canParse(text) && new URL(text).origin === origin ? text : origin;
  }

  function answerPage(c: Context<Env>, error: unknown, back: string | undefined): Response {
    const problem = problemOf(error, logger, c.get('requestId'));
    noteProblem(c, problem);
    const page = startFailedPage(problem, c.get('requestId'), back);
    c.header('content-security-policy', page.policy);
    c.header('referrer-policy', 'no-referrer');
    const { retryAfterSeconds } = problem.extras;
    if (retryAfterSeconds !== undefined) c.header('retry-after', String(retryAfterSeconds));
    return c.html(page.html, page.status);
  }
}

/**
 * The origin of the page with the form. Browsers send "null" for Origin under some referrer
 * policies; then the Referer says it, which a page cannot forge either.
 */
function originOf(c: Context<Env>): string | undefined {
  const origin = c.req.header('origin');
  if (origin !== undefined && origin !== 'null') return origin;
  const referer = c.req.header('referer') ?? '';
  return URL.canParse(referer) ? new URL(referer).origin : undefined;
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
  // A field twice: which of the two counts is anybody's guess, so none does.
  if (new Set(entries.map(([name]) => name)).size < entries.length) {
    throw new ProblemError('invalid-request');
  }
  return parseValue(startFormSchema, Object.fromEntries(entries));
}
