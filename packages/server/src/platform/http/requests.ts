import type { Context, MiddlewareHandler, Next } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { bodyLimit } from 'hono/body-limit';
import { matchedRoutes } from 'hono/route';
import { randomId } from '../id.ts';
import type { Clock } from '@financing-checkout/kit';
import { describeError, type Logger, type LogLevel } from '../logger.ts';
import type { Meter, MeteredRequest } from '../meter.ts';
import { inSpan } from '../tracing.ts';
import { answerJson, completeHeaders } from './answers.ts';
import { problemBody, problemDetail, ProblemError } from '../problem.ts';
import { isUnkeepable, StoreUnavailableError } from '../store-errors.ts';

/** Values that the middleware of both listeners sets for the routes. */
export interface Env {
  Variables: {
    requestId: string;
    /** Name of the request's back-office token. */
    actor: string | undefined;
    /** Scopes of the request's back-office token, beside `read`. */
    scopes: readonly string[] | undefined;
    problemCode: string | undefined;
    /** Reason of a refusal, for the log and `explain`. */
    problemDetail: string | undefined;
    /** Checkout of the request, once it is found. */
    checkoutId: string | undefined;
    /** Charge operation of the request, once there is one. */
    operationId: string | undefined;
    body: string;
    /** Common headers of every answer to this request, with lower-case names. */
    headers: Record<string, string>;
    /** Whether the answer has the common headers already. */
    hasHeaders: boolean | undefined;
  };
}

/**
 * Gives each request an id and logs the request once it is answered. Ignores an id of the client,
 * because answers and logs would repeat its content.
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
    c.set('headers', {
      'x-request-id': requestId,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    await next();
    completeHeaders(c);
    // HEAD sends no body: end the work that would produce one.
    if (c.req.method === 'HEAD') await c.res.body?.cancel();
    const durationMs = clock.now() - started;
    const status = c.res.status;
    const method = knownMethods.has(c.req.method) ? c.req.method : 'other';
    const route = matchedRoutes(c).find(({ path }) => !path.endsWith('*'))?.path;
    const code = c.get('problemCode');
    const level = levelOf({ method, route, status, code });
    const checkoutId = c.get('checkoutId');
    logger.log(level, 'request', {
      requestId,
      actor: c.get('actor'),
      checkoutId,
      operationId: c.get('operationId'),
      method,
      route,
      status,
      code,
      detail: c.get('problemDetail'),
      durationMs,
    });
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

/** Errors in the shop's setup: every shopper is refused until a developer fixes it. */
const setUpCodes = new Set<string>([
  'order-ticket-invalid',
  'order-totals-mismatch',
  'environment-mismatch',
]);

/** Paths that load balancers and orchestrators probe every few seconds. */
const probed = /(?:^|\/)(?:livez|readyz)$/;

function levelOf({
  method,
  route = '',
  status,
  code,
}: Pick<MeteredRequest, 'method' | 'route' | 'status' | 'code'>): LogLevel {
  // Any client can send one; the companion is not at fault.
  if (code === 'transfer-coding-unsupported') return 'info';
  if (status >= 500) return 'error';
  const isProbe = probed.test(route) || (method === 'OPTIONS' && route.endsWith('/'));
  if (isProbe && status < 400) return 'debug';
  // A client over its limit must not fill the disk; the metrics count its requests.
  if (status === 429) return 'debug';
  return setUpCodes.has(code ?? '') ? 'warn' : 'info';
}

/** Methods that may become a label. A client can send any method. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Refuses a URL that contains NUL: PostgreSQL stores no text with it, so nothing has such a name. */
export const refuseNul: MiddlewareHandler<Env> = async function refuseNul(c, next) {
  if (c.req.url.includes('%00')) {
    throw new ProblemError('invalid-request', { detail: 'The URL contains NUL.' });
  }
  await next();
};

/**
 * Refuses encoded bodies: the companion would parse compressed bytes as JSON. An unknown transfer
 * coding leaves the length of the message in doubt, so its connection is closed (RFC 9112 6.1).
 */
export const refuseCodings: MiddlewareHandler<Env> = async function refuseCodings(c, next) {
  const transfer = c.req.header('transfer-encoding');
  if (transfer !== undefined && !/^\s*chunked\s*$/i.test(transfer)) {
    c.get('headers').connection = 'close';
    throw new ProblemError('transfer-coding-unsupported', {
      detail: 'Send the body with "Transfer-Encoding: chunked" alone, or with a Content-Length.',
    });
  }
  const content = c.req.header('content-encoding');
  if (content !== undefined && !/^\s*(?:identity)?\s*$/i.test(content)) {
    c.get('headers')['accept-encoding'] = 'identity';
    throw new ProblemError('media-type-unsupported', {
      detail: 'Send the body without Content-Encoding.',
    });
  }
  await next();
};

/**
 * Refuses a body above the maximum of its route, with or without Content-Length, and stores the text of
 * a smaller one.
 */
export function readBody(maxBytesOf: (c: Context<Env>) => number): MiddlewareHandler<Env> {
  const tooLarge = (maxBytes: number) =>
    new ProblemError('request-too-large', { detail: `At most ${maxBytes} bytes are read.` });
  async function limitStream(c: Context<Env, string>, maxSize: number): Promise<void> {
    const onError = () => {
      throw tooLarge(maxSize);
    };
    try {
      await bodyLimit({ maxSize, onError })(c, () => Promise.resolve());
    } catch (error) {
      throw error instanceof ProblemError ? error : incompleteBody();
    }
  }
  return async function readBody(c, next) {
    const method = c.req.method;
    if (method === 'GET' || method === 'HEAD') {
      c.set('body', '');
      return next();
    }
    const maxBytes = maxBytesOf(c);
    const length = c.req.header('content-length');
    // If a host application has read the body, only its text is left to count, below.
    if (!c.req.raw.bodyUsed) {
      // Trust a stated length first: counting turns the body into a stream, which costs as much as all
      // other work before the route.
      const hasLength = length !== undefined && c.req.header('transfer-encoding') === undefined;
      if (!hasLength) await limitStream(c, maxBytes);
      else if (!/^\d{1,15}$/.test(length) || Number(length) > maxBytes) throw tooLarge(maxBytes);
    }
    const body = await readText(c);
    // A runtime may pass on a false Content-Length, so the read text is measured too.
    if (body.length * 3 > maxBytes && encoder.encode(body).length > maxBytes)
      throw tooLarge(maxBytes);
    c.set('body', body);
    return next();
  };
}

const encoder = new TextEncoder();

/** The client closed the connection before the end of its body. Not an error of the companion. */
export const incompleteBody = () =>
  new ProblemError('invalid-request', { detail: 'The body did not arrive completely.' });

async function readText(c: Context<Env>): Promise<string> {
  try {
    return await c.req.text();
  } catch {
    throw incompleteBody();
  }
}

/** Records why a request is refused, for its log line. */
export function noteProblem(c: Context<Env>, problem: ProblemError): void {
  c.set('problemCode', problem.code);
  c.set('problemDetail', problemDetail(problem.extras));
}

/** Returns an error handler that answers a problem (RFC 9457) for every thrown error. */
export function problemAnswers(logger: Logger) {
  return function answerProblem(error: Error, c: Context<Env>): Response {
    const problem = problemOf(error, logger, c.get('requestId'));
    const body = problemBody(problem.code, problem.extras, c.get('requestId'));
    noteProblem(c, problem);
    c.set('operationId', problem.extras.operationId);
    const { allow, retryAfterSeconds } = problem.extras;
    return answerJson(c, body, body.status as 400, {
      'content-type': 'application/problem+json',
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
      ...(allow === undefined ? {} : { allow }),
    });
  };
}

/** Seconds after which a restarted or failed-over database is usually back. */
const STORE_RETRY_SECONDS = 5;

/** Returns the problem for a thrown error, and logs an unexpected one. */
export function problemOf(error: unknown, logger: Logger, requestId: string): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof HTTPException && error.status < 500)
    return new ProblemError('invalid-request');
  if (isUnkeepable(error)) {
    return new ProblemError('invalid-request', { detail: 'A text contains U+0000.' });
  }
  const down = error instanceof StoreUnavailableError;
  logger.log('error', down ? 'store-unavailable' : 'request-failed', {
    requestId,
    // An error of another thread has no cause.
    ...describeError(down ? (error.cause ?? error) : error),
  });
  if (!down) return new ProblemError('internal', { detail: 'See the log for the request id.' });
  // The store may have failed before or after a call of the service, so a retry with a new
  // Idempotency-Key may not be safe. With the same key it always is.
  return new ProblemError('store-unavailable', {
    detail: 'Retry with the same Idempotency-Key after Retry-After.',
    retryAfterSeconds: STORE_RETRY_SECONDS,
  });
}
