import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import type { TLSSocket } from 'node:tls';
import type { CallLog } from './calls.ts';
import { environmentNames, environmentPaths, splitPath } from '../environments/environment.ts';
import { failure, type Log } from '../platform/log.ts';
import type { Service } from '../service.ts';
import { describeAuthorization, isAuthorized } from './authentication.ts';
import { readBody } from './body.ts';
import { type ApiContext, type ApiEnv, commonErrors } from './context.ts';
import { answerError } from './errors.ts';
import { errorCodes, ServiceError } from '../platform/service-error.ts';
import { answerOrStrike } from './faults.ts';
import type { Operation } from './operation.ts';
import { operationsOf } from './operations.ts';

/** Creates the service's API. Each environment has its own path prefix and its own keys. */
export function createApi(service: Service, calls: CallLog, log: Log): Hono<ApiEnv> {
  const operations = operationsOf(service);
  const app = new Hono<ApiEnv>();
  app.use(async (c, next) => {
    const started = performance.now();
    c.set('requestId', randomUUID());
    c.set('environment', splitPath(c.req.path).environment);
    c.set('operation', null);
    c.set('errors', commonErrors);
    c.set('struck', null);
    const sign = () => {
      c.header('X-Request-Id', c.get('requestId'));
      c.header('Cache-Control', 'no-store');
    };
    // Set before the response exists: on a finished response, Hono would copy the whole body.
    sign();
    await next();
    // A fault's response lacks these headers, so they are set again.
    if (c.get('struck')) sign();
    record(c, service, calls, log, Math.round(performance.now() - started));
  });
  app.use(async (c, next) => {
    // Authentication comes first: a caller without a key does not learn which paths exist.
    if (!isAuthorized(c.req.header('authorization'), c.get('environment'), service.keys)) {
      throw new ServiceError(401, undefined, 'The API key is missing, incorrect or outdated.', {
        headers: { 'WWW-Authenticate': 'Bearer' },
      });
    }
    // Read before any effect: a client that disconnects halfway changes nothing.
    c.set('body', await readBody(c.req.raw));
    await next();
  });
  for (const environment of environmentNames) {
    const routes = new Hono<ApiEnv>();
    addRoutes(routes, operations, service);
    app.route(environmentPaths[environment] || '/', routes);
  }
  app.notFound(() => {
    throw new ServiceError(404, errorCodes.notFound, 'No operation is at this address.');
  });
  app.onError((error, c) => {
    const problem = error instanceof ServiceError ? error : unexpected(error, c, log);
    return answerError(c, problem);
  });
  return app;
}

function addRoutes(routes: Hono<ApiEnv>, operations: readonly Operation[], service: Service): void {
  for (const operation of operations) {
    routes.on(operation.method, operation.path, (c) => {
      c.set('operation', operation.name);
      c.set('errors', operation.errors ?? commonErrors);
      return answerOrStrike(c, operation, service);
    });
  }
  for (const [path, sharing] of Map.groupBy(operations, (operation) => operation.path)) {
    const methods = sharing.map((operation) => operation.method).join(', ');
    routes.all(path, () => {
      // RFC 9110 15.5.6: a 405 response lists the supported methods.
      const more = { headers: { Allow: methods } };
      throw new ServiceError(405, errorCodes.unknown, `Only ${methods} is allowed here.`, more);
    });
  }
}

/** Maximum length of a path, query or header in the call log; clients may send 16 kB. */
const MAX_SHOWN = 1024;

/** Copies the beginning of a string: a slice would keep the whole string in memory. */
function shown(text: string): string {
  return text.length <= MAX_SHOWN ? text : Buffer.from(text).toString('utf8', 0, MAX_SHOWN);
}

/** Logs an unexpected error, such as a bug or a full disk, and returns the error to send. */
function unexpected(error: Error, c: ApiContext, log: Log): ServiceError {
  log({
    level: 'error',
    part: 'api',
    message: failure(error),
    fields: { requestId: c.get('requestId') },
  });
  return new ServiceError(500, errorCodes.unknown, 'Something went wrong in the sandbox.');
}

function record(
  c: ApiContext,
  { clock, keys }: Service,
  calls: CallLog,
  log: Log,
  durationMs: number,
): void {
  const url = new URL(c.req.url);
  const contentType = c.req.header('content-type');
  const socket = c.env.incoming?.socket as TLSSocket | undefined;
  const operation = c.get('operation');
  const struck = c.get('struck');
  const status = struck?.status ?? c.res.status;
  calls.add({
    at: new Date(clock.now()).toISOString(),
    requestId: c.get('requestId'),
    environment: c.get('environment'),
    operation,
    method: c.req.method,
    path: shown(keys.redact(url.pathname)),
    query: shown(keys.redact(url.search)),
    status,
    fault: struck?.fault ?? null,
    contentType: contentType === undefined ? null : shown(contentType),
    tlsVersion: socket?.encrypted === true ? socket.getProtocol() : null,
    authorization: describeAuthorization(c.req.header('authorization'), keys),
    durationMs,
  });
  log({
    level: 'info',
    part: 'api',
    message: `${c.req.method} ${operation ?? '(no operation)'} ${status}`,
    fields: {
      environment: c.get('environment'),
      ms: durationMs,
      requestId: c.get('requestId'),
      fault: struck?.fault.kind ?? null,
    },
  });
}
