import type { Context, Env, Hono, MiddlewareHandler, Next } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { matchedRoutes } from 'hono/route';
import type { LimitClock } from '../limits/rate-limit.ts';
import type { LogLevel } from '../log/logger.ts';
import { completeHeaders } from './answers.ts';
import { type HttpEnv, ofHttp } from './env.ts';
import { ProblemError } from './problem-error.ts';
import { type Route, routeFor } from './route.ts';

/** A completed request, for its log line and the metrics. */
export interface AnsweredRequest {
  /** `other` for a method that no route has, because clients can send arbitrary methods. */
  method: string;
  /** The route's template, never the path, which is input. */
  route: string | undefined;
  status: number;
  /** Code of the problem, if the response is one. */
  code: string | undefined;
  durationMs: number;
}

export interface MeasuredRequest extends Omit<AnsweredRequest, 'durationMs'> {
  /** Name of the listener that answered. */
  listener: string;
  seconds: number;
}

/**
 * Returns a middleware that assigns each request an id and its common headers, and resolves with
 * the data to log and measure.
 * @param newId returns a new id. An id sent by a client is ignored, because responses and logs
 * would repeat it.
 */
export function trackRequests({ clock, newId }: { clock: LimitClock; newId: () => string }) {
  return async function trackRequest(context: Context, next: Next): Promise<AnsweredRequest> {
    const c = ofHttp(context);
    const started = clock.now();
    const requestId = newId();
    c.set('requestId', requestId);
    c.set('headers', {
      'x-request-id': requestId,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    await next();
    completeHeaders(c);
    // A HEAD response has no body: cancel the work that would produce one.
    if (c.req.method === 'HEAD') await c.res.body?.cancel();
    return {
      method: knownMethods.has(c.req.method) ? c.req.method : 'other',
      route: matchedRoutes(c).find(({ path }) => !path.endsWith('*'))?.path,
      status: c.res.status,
      code: c.get('problem')?.code,
      durationMs: clock.now() - started,
    };
  };
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Paths that load balancers and orchestrators probe every few seconds. */
const probed = /(?:^|\/)(?:livez|readyz)$/;

/** Returns the level of a request's log line. */
export function levelOf({ method, route = '', status, code }: AnsweredRequest): LogLevel {
  // Any client can send an unsupported coding; the program is not at fault.
  if (code === 'transfer-coding-unsupported') return 'info';
  if (status >= 500) return 'error';
  const isProbe = probed.test(route) || (method === 'OPTIONS' && route.endsWith('/'));
  if (isProbe && status < 400) return 'debug';
  // A client that exceeds its limit must not fill the disk with logs; the metrics count its
  // requests.
  return status === 429 ? 'debug' : 'info';
}

/**
 * Rejects a URL that contains NUL: PostgreSQL cannot store NUL in text, so no resource has such a
 * name.
 */
export const refuseNul: MiddlewareHandler = async function refuseNul(c, next) {
  if (c.req.url.includes('%00')) {
    throw new ProblemError('invalid-request', { detail: 'The URL contains NUL.' });
  }
  await next();
};

/**
 * Refuses encoded bodies: a route would parse compressed bytes as JSON. With an unknown transfer
 * coding the message length is ambiguous, so the connection is closed (RFC 9112 6.1).
 */
export const refuseCodings: MiddlewareHandler = async function refuseCodings(
  c: Context<HttpEnv>,
  next,
) {
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

/** Maximum body size in bytes, unless the route sets another one. */
export const MAX_SMALL_BODY_BYTES = 65_536;

/**
 * Returns the maximum body size of a request in bytes. A request without a matching route is read
 * up to the small maximum before it is refused with 404 or 405.
 */
export function maxBytesOf(c: Context): number {
  return maxBytesFor(routeFor(c));
}

function maxBytesFor(route: Route | undefined): number {
  const maxBytes = route?.maxBodyBytes;
  return typeof maxBytes === 'number' ? maxBytes : MAX_SMALL_BODY_BYTES;
}

/**
 * Stores the text of the body. Rejects a body above the maximum of its route, with or without
 * Content-Length.
 */
export const readBody: MiddlewareHandler = async function readBody(
  c: Context<HttpEnv, string>,
  next,
) {
  c.set('body', '');
  const { method, raw } = c.req;
  const route = routeFor(c);
  if (method === 'GET' || method === 'HEAD' || route?.body?.isStreamed) return next();
  const maxBytes = maxBytesFor(route);
  const length = c.req.header('content-length');
  // If a host application has already read the body, only its text can be measured, below.
  if (!raw.bodyUsed) {
    // Check Content-Length first: counting bytes turns the body into a stream, which costs as much
    // as all other work before the route.
    const hasLength = length !== undefined && c.req.header('transfer-encoding') === undefined;
    if (!hasLength) await limitStream(c, maxBytes);
    else if (!/^\d{1,15}$/.test(length) || Number(length) > maxBytes) throw tooLarge(maxBytes);
  }
  const body = await readText(c);
  // A runtime may pass on a false Content-Length, so the text is measured too.
  if (body.length * 3 > maxBytes && encoder.encode(body).length > maxBytes) {
    throw tooLarge(maxBytes);
  }
  c.set('body', body);
  return next();
};

async function limitStream(c: Context<HttpEnv, string>, maxSize: number): Promise<void> {
  const onError = () => {
    throw tooLarge(maxSize);
  };
  try {
    await bodyLimit({ maxSize, onError })(c, () => Promise.resolve());
  } catch (error) {
    throw error instanceof ProblemError ? error : incompleteBody();
  }
}

const encoder = new TextEncoder();

const tooLarge = (maxBytes: number) =>
  new ProblemError('request-too-large', { detail: `The maximum size is ${maxBytes} bytes.` });

/**
 * Returns the problem for a client that disconnected while sending its body, which is not an error
 * of the program.
 */
export const incompleteBody = () =>
  new ProblemError('invalid-request', { detail: 'The body did not arrive completely.' });

async function readText(c: Context<HttpEnv>): Promise<string> {
  try {
    return await c.req.text();
  } catch {
    throw incompleteBody();
  }
}

/**
 * Returns a handler that answers 405 and lists the allowed methods (RFC 9110 15.5.6). HEAD is allowed
 * if GET is.
 */
export function refuseMethod(...answered: readonly string[]): () => never {
  const allow = answered.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method));
  return function refuseMethod() {
    throw new ProblemError('method-not-allowed', { allow: allow.join(', ') });
  };
}

/** Answers 405 to other methods on every path that the API has at the time of the call. */
export function refuseOtherMethods<E extends Env>(app: Hono<E>): void {
  const answered = app.routes.filter(({ method }) => method !== 'ALL');
  for (const [path, routes] of Map.groupBy(answered, (route) => route.path)) {
    app.all(path, refuseMethod(...new Set(routes.map(({ method }) => method))));
  }
}

/** Answers 404. Registered after all routes. */
export function refuseRest(): never {
  throw new ProblemError('not-found');
}

/** Header in which a request and its answer state the environment of the service. */
const NAME = 'financing-environment';

/**
 * States the program's environment in each answer, and refuses a request meant for another
 * environment before it has an effect.
 * @param refuse creates the error
 */
export function requireEnvironment(
  environment: string,
  refuse: (detail: string) => Error,
): MiddlewareHandler<HttpEnv> {
  return async function requireEnvironment(c, next) {
    c.header(NAME, environment);
    const wanted = c.req.header(NAME);
    if (wanted !== undefined && wanted !== environment) {
      throw refuse(`This program uses the environment "${environment}".`);
    }
    await next();
  };
}
