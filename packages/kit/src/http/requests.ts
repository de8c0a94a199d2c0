import type { Context, Env, Hono, MiddlewareHandler, Next } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { matchedRoutes } from 'hono/route';
import type { LimitClock } from '../limits/rate-limit.ts';
import type { LogLevel } from '../log/logger.ts';
import { completeHeaders } from './answers.ts';
import { type HttpEnv, ofHttp } from './env.ts';
import { ProblemError } from './problem-error.ts';
import { routeFor } from './route.ts';

/** An answered request, for its log line and the metrics. */
export interface AnsweredRequest {
  /** `other` for a method that no route has: a client can send any. */
  method: string;
  /** The route's template, never the path, which is input. */
  route: string | undefined;
  status: number;
  /** Code of the problem, if the answer is one. */
  code: string | undefined;
  durationMs: number;
}

/**
 * Returns a middleware that gives each request an id and its common headers, and resolves with what to log
 * and measure of it.
 * @param newId returns a new id. The id of a client is ignored, because answers and logs would repeat it.
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
    // HEAD sends no body: end the work that would produce one.
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
  // Any client can send one; the program is not at fault.
  if (code === 'transfer-coding-unsupported') return 'info';
  if (status >= 500) return 'error';
  const isProbe = probed.test(route) || (method === 'OPTIONS' && route.endsWith('/'));
  if (isProbe && status < 400) return 'debug';
  // A client over its limit must not fill the disk; the metrics count its requests.
  return status === 429 ? 'debug' : 'info';
}

/** Refuses a URL that contains NUL: PostgreSQL stores no text with it, so nothing has such a name. */
export const refuseNul: MiddlewareHandler = async function refuseNul(c, next) {
  if (c.req.url.includes('%00')) {
    throw new ProblemError('invalid-request', { detail: 'The URL contains NUL.' });
  }
  await next();
};

/**
 * Refuses encoded bodies: a route would parse compressed bytes as JSON. An unknown transfer
 * coding leaves the length of the message in doubt, so its connection is closed (RFC 9112 6.1).
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

/** Maximum bytes of a body where no route states another one. */
export const MAX_SMALL_BODY_BYTES = 65_536;

/**
 * Returns the maximum bytes of a request's body. A request that no route answers is read up to the small
 * maximum, to be refused with 404 or 405.
 */
export function maxBytesOf(c: Context): number {
  const maxBytes = routeFor(c)?.maxBodyBytes;
  return typeof maxBytes === 'number' ? maxBytes : MAX_SMALL_BODY_BYTES;
}

/**
 * Refuses a body above the maximum of its route, with or without Content-Length, and stores the text of
 * a smaller one.
 */
export const readBody: MiddlewareHandler = async function readBody(
  c: Context<HttpEnv, string>,
  next,
) {
  c.set('body', '');
  const { method, raw } = c.req;
  if (method === 'GET' || method === 'HEAD' || routeFor(c)?.body?.isStreamed) return next();
  const maxBytes = maxBytesOf(c);
  const length = c.req.header('content-length');
  // If a host application has read the body, only its text is left to count, below.
  if (!raw.bodyUsed) {
    // Trust a stated length first: counting turns the body into a stream, which costs as much as all
    // other work before the route.
    const hasLength = length !== undefined && c.req.header('transfer-encoding') === undefined;
    if (!hasLength) await limitStream(c, maxBytes);
    else if (!/^\d{1,15}$/.test(length) || Number(length) > maxBytes) throw tooLarge(maxBytes);
  }
  const body = await readText(c);
  // A runtime may pass on a false Content-Length, so the read text is measured too.
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

/** Returns the problem of a client that disconnected within its body. Not an error of the program. */
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

/** Answers 404, behind all routes. */
export function refuseRest(): never {
  throw new ProblemError('not-found');
}
