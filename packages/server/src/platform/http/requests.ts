import type { Context, MiddlewareHandler, Next } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { bodyLimit } from 'hono/body-limit';
import { matchedRoutes } from 'hono/route';
import { randomId } from '../id.ts';
import type { Clock } from '../clock.ts';
import { describeError, type Logger, type LogLevel } from '../logger.ts';
import type { Meter, MeteredRequest } from '../meter.ts';
import { inSpan } from '../tracing.ts';
import { answerJson, completeHeaders } from './answers.ts';
import { problemBody, problemDetail, ProblemError } from '../problem.ts';
import { isUnkeepable, StoreUnavailableError } from '../store-errors.ts';

/** What the middleware of both listeners leaves for the routes. */
export interface Env {
  Variables: {
    requestId: string;
    /** Name of the back-office token that it came with. */
    actor: string | undefined;
    problemCode: string | undefined;
    /** Why it is refused, for the log and `explain`. */
    problemDetail: string | undefined;
    /** Of the checkout that the request is about, once it is known to be one. */
    checkoutId: string | undefined;
    /** Of the operation on a charge that it is about, once there is one. */
    operationId: string | undefined;
    body: string;
    /** What every answer to this request has, under lower-case names. */
    headers: Record<string, string>;
    /** Whether the answer has them. */
    hasHeaders: boolean | undefined;
  };
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
    c.set('headers', {
      'x-request-id': requestId,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    await next();
    completeHeaders(c);
    // Nobody reads the body that HEAD leaves out: what would go on making it ends here.
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

/** Causes that lie in the set-up of the shop: each shopper is refused until a developer acts. */
const setUpCodes = new Set<string>([
  'order-ticket-invalid',
  'order-totals-mismatch',
  'environment-mismatch',
]);

/** Paths that balancers and orchestrators ask for every few seconds. */
const probed = /(?:^|\/)(?:livez|readyz)$/;

function levelOf({
  method,
  route = '',
  status,
  code,
}: Pick<MeteredRequest, 'method' | 'route' | 'status' | 'code'>): LogLevel {
  // Any client can send one: it is no fault of the companion.
  if (code === 'transfer-coding-unsupported') return 'info';
  if (status >= 500) return 'error';
  const isProbe = probed.test(route) || (method === 'OPTIONS' && route.endsWith('/'));
  if (isProbe && status < 400) return 'debug';
  // A client over a limit must not fill the disk; the metrics count it.
  if (status === 429) return 'debug';
  return setUpCodes.has(code ?? '') ? 'warn' : 'info';
}

/** What comes from outside becomes a label only when it is one of a few. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Refuses an address that holds a NUL: no text in PostgreSQL does, and nothing is called so. */
export const refuseNul: MiddlewareHandler<Env> = async function refuseNul(c, next) {
  if (c.req.url.includes('%00')) {
    throw new ProblemError('invalid-request', { detail: 'The address holds a NUL.' });
  }
  await next();
};

/**
 * Refuses a body in a coding that would be read as if it were not coded: compressed bytes as JSON. The
 * length of a message with an unknown transfer coding is known to one side alone, so its connection ends
 * (RFC 9112 6.1).
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
      detail: 'Send the body as it is, without Content-Encoding.',
    });
  }
  await next();
};

/** Refuses a body over `maxBytes`, with or without Content-Length, and keeps a smaller one's text. */
export function readBody(maxBytes: number): MiddlewareHandler<Env> {
  const tooLarge = () =>
    new ProblemError('request-too-large', { detail: `At most ${maxBytes} bytes are read.` });
  const countBytes = bodyLimit({
    maxSize: maxBytes,
    onError: () => {
      throw tooLarge();
    },
  });
  async function limitStream(c: Context<Env, string>): Promise<void> {
    try {
      await countBytes(c, () => Promise.resolve());
    } catch (error) {
      throw error instanceof ProblemError ? error : notWhole();
    }
  }
  return async function readBody(c, next) {
    const method = c.req.method;
    if (method === 'GET' || method === 'HEAD') {
      c.set('body', '');
      return next();
    }
    const length = c.req.header('content-length');
    // A host application may have read it already: what is left to count is its text, below.
    if (!c.req.raw.bodyUsed) {
      // What says its length is refused by it: counting makes a stream of the body first, which
      // costs as much as everything else that is done with a request before it is looked at.
      const says = length !== undefined && c.req.header('transfer-encoding') === undefined;
      if (!says) await limitStream(c);
      else if (!/^\d{1,15}$/.test(length) || Number(length) > maxBytes) throw tooLarge();
    }
    const body = await readText(c);
    // A runtime may hand on a Content-Length that lies: what counts is what was read.
    if (body.length * 3 > maxBytes && encoder.encode(body).length > maxBytes) throw tooLarge();
    c.set('body', body);
    return next();
  };
}

const encoder = new TextEncoder();

/** The client left in the middle of its body: no fault of the companion, and no alarm. */
export const notWhole = () =>
  new ProblemError('invalid-request', { detail: 'The body did not arrive whole.' });

async function readText(c: Context<Env>): Promise<string> {
  try {
    return await c.req.text();
  } catch {
    throw notWhole();
  }
}

/** Notes why a request is refused, for its line in the log. */
export function noteProblem(c: Context<Env>, problem: ProblemError): void {
  c.set('problemCode', problem.code);
  c.set('problemDetail', problemDetail(problem.extras));
}

/** Answers a problem (RFC 9457), for everything that is thrown. */
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

/** Seconds after which a database that was restarted or moved is usually back. */
const STORE_RETRY_SECONDS = 5;

/** The problem to answer for whatever was thrown. What nobody expected is logged. */
export function problemOf(error: unknown, logger: Logger, requestId: string): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof HTTPException && error.status < 500)
    return new ProblemError('invalid-request');
  if (isUnkeepable(error)) {
    return new ProblemError('invalid-request', { detail: 'A text in it holds U+0000.' });
  }
  const down = error instanceof StoreUnavailableError;
  logger.log('error', down ? 'store-unavailable' : 'request-failed', {
    requestId,
    // That of another thread comes without its cause.
    ...describeError(down ? (error.cause ?? error) : error),
  });
  if (!down)
    return new ProblemError('internal', { detail: 'The log has more under the request id.' });
  // Whether it came before or after a call of the service is not said here, so neither is it said
  // that asking again with a new Idempotency-Key is safe. With the same one it always is.
  return new ProblemError('store-unavailable', {
    detail: 'Ask again, with the same Idempotency-Key, when Retry-After says.',
    retryAfterSeconds: STORE_RETRY_SECONDS,
  });
}
