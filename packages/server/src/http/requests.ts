import type { Context, MiddlewareHandler, Next } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { bodyLimit } from 'hono/body-limit';
import { matchedRoutes } from 'hono/route';
import { randomId } from '../checkout/id.ts';
import type { Clock } from '../clock/clock.ts';
import { describeError, type Logger } from '../observe/logger.ts';
import type { Meter, MeteredRequest } from '../observe/meter.ts';
import { inSpan } from '../observe/tracing.ts';
import { problemBody, ProblemError } from '../problem/problem.ts';

/** What the middleware of both listeners leaves for the routes. */
export interface Env {
  Variables: { requestId: string; problemCode: string | undefined; body: string };
}

/**
 * Names each request and logs it once it is answered. The id is always ours: one that comes from
 * outside would be repeated in answers and logs, whatever it holds.
 */
export function requestLog(options: {
  logger: Logger;
  clock: Clock;
  meter: Meter;
  listener: MeteredRequest['listener'];
}): MiddlewareHandler<Env> {
  const { logger, clock, meter, listener } = options;

  async function answer(c: Context<Env>, next: Next): Promise<MeteredRequest> {
    const started = clock.now();
    const requestId = randomId('req');
    c.set('requestId', requestId);
    c.header('x-request-id', requestId);
    c.header('cache-control', 'no-store');
    c.header('x-content-type-options', 'nosniff');
    await next();
    const durationMs = clock.now() - started;
    const status = c.res.status;
    const method = knownMethods.has(c.req.method) ? c.req.method : 'other';
    const route = matchedRoutes(c).find(({ path }) => !path.endsWith('*'))?.path;
    const code = c.get('problemCode');
    // Who is over a limit must not fill the disk; the metrics count it.
    const level = status >= 500 ? 'error' : status === 429 ? 'debug' : 'info';
    logger.log(level, 'request', { requestId, method, route, status, code, durationMs });
    const seconds = durationMs / 1000;
    const request = { listener, method, route, status, code, seconds };
    meter.request(request);
    return request;
  }

  return async function requestLog(c, next) {
    await inSpan(
      'server',
      listener,
      { 'financing.listener': listener },
      async (span) => {
        const request = await answer(c, next);
        span.updateName(`${request.method} ${request.route ?? ''}`.trim());
        return request;
      },
      ({ method, route, status, code }) => ({
        attributes: {
          'http.request.method': method,
          'http.response.status_code': status,
          'financing.request_id': c.get('requestId'),
          ...(route === undefined ? {} : { 'http.route': route }),
          ...(code === undefined ? {} : { 'financing.problem': code }),
        },
        failed: status >= 500,
      }),
    );
  };
}

/** What comes from outside becomes a label only when it is one of a few. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Refuses a body over `maxBytes`, with or without Content-Length, and keeps a smaller one's text. */
export function readBody(maxBytes: number): MiddlewareHandler<Env>[] {
  const tooLarge = () =>
    new ProblemError('request-too-large', { detail: `At most ${maxBytes} bytes are read.` });
  return [
    bodyLimit({
      maxSize: maxBytes,
      onError: () => {
        throw tooLarge();
      },
    }),
    async function keepBody(c, next) {
      const body = c.req.raw.body === null ? '' : await c.req.text();
      // A runtime may hand on a Content-Length that lies: what counts is what was read.
      if (body.length > maxBytes) throw tooLarge();
      c.set('body', body);
      await next();
    },
  ];
}

/** Answers a problem (RFC 9457), for everything that is thrown. */
export function problemAnswers(logger: Logger) {
  return function answerProblem(error: Error, c: Context<Env>): Response {
    const problem = error instanceof ProblemError ? error : unexpected(error, c, logger);
    const body = problemBody(problem.code, problem.extras, c.get('requestId'));
    c.set('problemCode', problem.code);
    c.header('content-type', 'application/problem+json');
    const { retryAfterSeconds } = problem.extras;
    if (retryAfterSeconds !== undefined) c.header('retry-after', String(retryAfterSeconds));
    c.status(body.status as 400);
    return c.body(JSON.stringify(body));
  };
}

function unexpected(error: Error, c: Context<Env>, logger: Logger): ProblemError {
  if (error instanceof HTTPException && error.status < 500)
    return new ProblemError('invalid-request');
  logger.log('error', 'request-failed', {
    requestId: c.get('requestId'),
    ...describeError(error),
  });
  return new ProblemError('internal', { detail: 'The log has more under the request id.' });
}
