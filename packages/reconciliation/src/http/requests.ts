import { randomBytes } from 'node:crypto';
import { type Problem, problems, problemType } from '@financing-checkout/contract';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import { matchedRoutes } from 'hono/route';
import { LeaseLostError } from '../facts/store.ts';
import type { Clock } from '@financing-checkout/kit';
import { describeError, type Logger } from '../platform/log.ts';
import { ProblemError, type ProblemExtras } from '../platform/problem.ts';
import { ClientGoneError } from './client-signal.ts';
import type { Env } from './env.ts';

const probes = new Set(['/livez', '/readyz']);
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Names each request and logs it after the response. Always generates the id: an external one would
 * be repeated in answers and logs.
 */
export function requestLog(logger: Logger, clock: Clock): MiddlewareHandler<Env> {
  return async function requestLog(c, next) {
    const started = clock.now();
    const requestId = `req_${randomBytes(12).toString('base64url')}`;
    c.set('requestId', requestId);
    c.header('x-request-id', requestId);
    c.header('cache-control', 'no-store');
    c.header('x-content-type-options', 'nosniff');
    await next();
    const { status } = c.res;
    const route = matchedRoutes(c).find(({ path }) => !path.endsWith('*'))?.path;
    // Supervisors call probes every few seconds, and requests over a limit must not fill the disk.
    const isFrequent = status === 429 || (route !== undefined && probes.has(route));
    const usual = isFrequent ? 'debug' : 'info';
    const level = status >= 500 && status !== 503 ? 'error' : usual;
    logger.log(level, 'request', {
      requestId,
      actor: c.get('actor'),
      method: knownMethods.has(c.req.method) ? c.req.method : 'other',
      route,
      status,
      code: c.get('problemCode'),
      durationMs: clock.now() - started,
    });
  };
}

/**
 * Reads the text of a body, and rejects one above the maximum of its route, with or without
 * Content-Length.
 */
export function readBody(maxSizeOf: (c: Context<Env>) => number): MiddlewareHandler<Env> {
  const limitOf = (maxSize: number) =>
    bodyLimit({
      maxSize,
      onError: () => {
        throw new ProblemError('request-too-large', {
          detail: `The maximum size is ${maxSize} bytes.`,
        });
      },
    });
  return async function readBody(c, next) {
    c.set('body', '');
    if (c.req.method === 'GET' || c.req.method === 'HEAD') return next();
    return limitOf(maxSizeOf(c))(c, async () => {
      c.set('body', await c.req.text().catch(() => Promise.reject(notWhole())));
      await next();
    });
  };
}

/** The client disconnected within its body: not an error of the program. */
export function notWhole(): ProblemError {
  return new ProblemError('invalid-request', { detail: 'The body is truncated.' });
}

/** Rejects an address with a NUL: PostgreSQL cannot store it, and no order id has one. */
export const refuseNul: MiddlewareHandler<Env> = async function refuseNul(c, next) {
  if (c.req.url.includes('%00')) {
    throw new ProblemError('invalid-request', { detail: 'The address contains a NUL.' });
  }
  await next();
};

/** Answers 405 to other methods of each path that the API already has (RFC 9110 15.5.6). */
export function refuseOtherMethods(app: Hono<Env>): void {
  const answered = app.routes.filter(({ method }) => method !== 'ALL');
  for (const [path, routes] of Map.groupBy(answered, (route) => route.path)) {
    const methods = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : method));
    const allow = [...new Set(methods)].join(', ');
    app.all(path, () => {
      throw new ProblemError('method-not-allowed', { allow });
    });
  }
}

/** Answers a problem (RFC 9457) for every thrown error. */
export function problemAnswers(logger: Logger) {
  return function answerProblem(error: Error, c: Context<Env>): Response {
    const requestId = c.get('requestId');
    const { code, extras } = problemOf(error, c, logger);
    const body = problemBody(code, extras, requestId);
    c.set('problemCode', code);
    const { allow, leader, retryAfterSeconds } = extras;
    if (allow !== undefined) c.header('allow', allow);
    if (leader !== undefined) c.header('financing-leader', leader);
    if (retryAfterSeconds !== undefined) c.header('retry-after', String(retryAfterSeconds));
    c.header('content-type', 'application/problem+json');
    return c.body(JSON.stringify(body), body.status as 400);
  };
}

function problemOf(error: Error, c: Context<Env>, logger: Logger): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof HTTPException && error.status < 500) {
    return new ProblemError('invalid-request');
  }
  if (error instanceof LeaseLostError) {
    return new ProblemError('standby', {
      detail: 'Another process has taken the lease, and nothing was written: retry.',
      retryAfterSeconds: 5,
    });
  }
  // The query was interrupted because the client disconnected, so the response reaches no one.
  if (error instanceof ClientGoneError || c.req.raw.signal.aborted)
    return new ProblemError('not-ready');
  logger.log('error', 'request-failed', { requestId: c.get('requestId'), ...describeError(error) });
  if (isOfStore(error)) {
    return new ProblemError('store-unavailable', {
      detail: 'Retry after Retry-After, with the same Idempotency-Key.',
      retryAfterSeconds: 5,
    });
  }
  return new ProblemError('internal', { detail: 'See the log entry with the request id.' });
}

/** Returns whether the record store is unavailable, by codes of sockets, SQLite and PostgreSQL. */
function isOfStore(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : '';
  return /^(?:E[A-Z]+|ERR_SQLITE_ERROR|08\w{3}|57P\d\d|53\w{3})$/.test(code);
}

function problemBody(
  code: ProblemError['code'],
  { detail, errors, retrySafe = false, serviceRequestId }: ProblemExtras,
  requestId: string,
): Problem {
  const { status, title } = problems[code];
  return {
    type: problemType(code),
    code,
    title,
    status,
    requestId,
    retrySafe,
    detail,
    serviceRequestId,
    errors,
  };
}
