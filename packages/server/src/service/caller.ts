import type { z } from 'zod';
import { type Clock, delay, systemClock } from '../platform/clock.ts';
import { KeyRing } from '../keys/key-ring.ts';
import { authorizationOf, type PrivateKey } from '../keys/private-key.ts';
import { type Logger, silentLogger } from '../platform/logger.ts';
import { type Meter, silentMeter } from '../platform/meter.ts';
import { inSpan } from '../platform/tracing.ts';
import { addressesUnder, serviceBase } from './address.ts';
import { Admission, type Priority, priorityOf } from './admission.ts';
import {
  AnswerTooLargeError,
  errorDetails,
  parseJson,
  readBytes,
  readText,
  requestIdOf,
  retryAfterMs,
} from './answer.ts';
import { Circuit, healthOf } from './circuit.ts';
import { Deadline } from './deadline.ts';
import type { CallResult, NotSent } from './result.ts';
import { retryDelay } from './retry.ts';
import {
  fetchTransport,
  isNotSent,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts';

export interface ServiceOptions {
  /** Base address of the financing service's environment; https only (specification 5.1). */
  baseUrl: string;
  /**
   * The private key, and the one to try when the service answers 401 to it. A {@link KeyRing} lets
   * them be replaced while calls are under way.
   */
  keys: KeyRing | readonly [PrivateKey, ...PrivateKey[]];
  /** @default the runtime's `fetch` */
  transport?: Transport;
  clock?: Clock;
  logger?: Logger;
  /** Total time of one call, all its tries together. @default 10_000 */
  deadlineMs?: number;
  /** Total time of the call that creates a charge. @default 60_000 */
  chargeDeadlineMs?: number;
  /** Calls under way at a time. @default 64 */
  concurrency?: number;
  /** Calls that may wait for one of those to end; above it they end at once. @default 256 */
  queue?: number;
  meter?: Meter;
  /** Random number in [0, 1), for the jitter of retries. @default Math.random */
  random?: () => number;
}

/** One call of the service. `path` is under the base address; `route` is it without values. */
export interface Call<Schema extends z.ZodType> {
  method: 'GET' | 'POST';
  route: string;
  path: string;
  query?: Record<string, string>;
  body?: unknown;
  /** Open schema of the answer: unknown fields and enum values pass. */
  schema: Schema;
  /** Total time of all its tries. @default the caller's */
  deadlineMs?: number;
  /** @default by its route */
  priority?: Priority | undefined;
  /** @default 1 MiB */
  maxBytes?: number;
  /** `bytes`: what a 2xx brought is not looked into. @default 'json' */
  answer?: 'json' | 'bytes';
}

export type Caller = <Schema extends z.ZodType>(
  call: Call<Schema>,
  requestId?: string,
) => Promise<CallResult<z.infer<Schema>>>;

const DEFAULT_MAX_BYTES = 1_048_576;
/** Total time of one call, in milliseconds. */
export const DEFAULT_DEADLINE_MS = 10_000;
/** Total time of the call that creates a charge, in milliseconds. */
export const DEFAULT_CHARGE_DEADLINE_MS = 60_000;

/**
 * The one place where the private key leaves the process.
 * @throws {TypeError} for a base address that is not https: the key would travel in the clear, and
 * the service fails such a request anyway (specification 5.1).
 */
export function createCaller(options: ServiceOptions): Caller {
  const { transport = fetchTransport, clock = systemClock, logger = silentLogger } = options;
  const { random = Math.random, meter = silentMeter } = options;
  const base = serviceBase(options.baseUrl);
  const addressOf = addressesUnder(base);
  const keys =
    options.keys instanceof KeyRing ? options.keys : new KeyRing(options.keys, { clock, logger });
  const admission = new Admission(options.concurrency ?? 64, options.queue ?? 256);
  const circuit = new Circuit({
    clock,
    onChange(state) {
      logger.log(state === 'open' ? 'error' : 'info', `service-circuit-${state}`);
      meter.circuit(state);
    },
  });

  /** One try with one key, classified. */
  async function tryOnce<Schema extends z.ZodType>(
    call: Call<Schema>,
    key: PrivateKey,
    deadline: Deadline,
  ): Promise<CallResult<z.infer<Schema>> | 'unauthorized'> {
    const request: TransportRequest = {
      method: call.method,
      headers: {
        accept: 'application/json',
        authorization: authorizationOf(key),
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      signal: deadline.signal,
      redirect: 'manual',
    };
    const nothing = { status: undefined, serviceRequestId: undefined, retryAfterMs: undefined };
    let response: TransportResponse;
    try {
      response = await deadline.wait(transport(addressOf(call), request));
    } catch (error) {
      if (deadline.passed) return { kind: 'unknown', reason: 'timeout', ...nothing };
      if (isNotSent(error)) return { kind: 'not-sent', reason: 'unreachable', ...nothing };
      return { kind: 'unknown', reason: 'connection-lost', ...nothing };
    }
    return read(call, response, deadline);
  }

  async function read<Schema extends z.ZodType>(
    call: Call<Schema>,
    response: TransportResponse,
    deadline: Deadline,
  ): Promise<CallResult<z.infer<Schema>> | 'unauthorized'> {
    const { status } = response;
    const wait = retryAfterMs(response, clock.now());
    const unknown = (reason: 'timeout' | 'connection-lost' | 'unreadable' | 'too-large') =>
      ({
        kind: 'unknown',
        reason,
        status,
        serviceRequestId: undefined,
        retryAfterMs: wait,
      }) as const;

    const isRaw = call.answer === 'bytes' && status >= 200 && status < 300;
    const limit = call.maxBytes ?? DEFAULT_MAX_BYTES;
    let text = '';
    let bytes: Uint8Array | undefined;
    try {
      if (isRaw) bytes = await deadline.wait(readBytes(response, limit));
      else text = await deadline.wait(readText(response, limit));
    } catch (error) {
      // What a 4xx says about the outcome does not depend on its body.
      if (status >= 400 && status < 500) text = '';
      else if (deadline.passed) return unknown('timeout');
      else if (error instanceof AnswerTooLargeError) return unknown('too-large');
      else if (error instanceof TypeError && !isConnectionError(error))
        return unknown('unreadable');
      else return unknown('connection-lost');
    }
    const body = bytes ?? parseJson(text);
    const id = bytes === undefined ? requestIdOf(body) : undefined;
    const serviceRequestId = id !== undefined && keys.isIn(id) ? undefined : id;

    if (status === 401) return 'unauthorized';
    if (status === 429) {
      return { kind: 'not-sent', reason: 'throttled', serviceRequestId, retryAfterMs: wait };
    }
    // 408: the service gave up on a request it had begun to read.
    if (status >= 400 && status < 500 && status !== 408) {
      return {
        kind: 'rejected',
        status,
        ...errorDetails(body, (text) => keys.isIn(text)),
        serviceRequestId,
      };
    }
    if (status < 200 || status >= 300) {
      const reason = status >= 300 && status < 400 ? 'redirect' : 'server-error';
      return { kind: 'unknown', reason, status, serviceRequestId, retryAfterMs: wait };
    }
    const parsed = call.schema.safeParse(body);
    if (!parsed.success) return { ...unknown('unreadable'), serviceRequestId };
    return { kind: 'accepted', status, body: parsed.data, serviceRequestId };
  }

  /**
   * A try with the key in use, then with the others, also one that was put in meanwhile: a 401 means
   * that nothing was done.
   */
  async function tryKeys<Schema extends z.ZodType>(
    call: Call<Schema>,
    deadline: Deadline,
  ): Promise<CallResult<z.infer<Schema>>> {
    const refused = new Set<PrivateKey>();
    for (;;) {
      const key = keys.keysToTry().find((candidate) => !refused.has(candidate));
      if (key === undefined) return notSent('key-rejected');
      const result = await tryOnce(call, key, deadline);
      if (result === 'unauthorized') {
        keys.rejected(key);
        refused.add(key);
        continue;
      }
      // A refusal that carries the service's own id was decided after it had known the key; any
      // other may come from something in between that never saw one.
      const knew = result.kind === 'rejected' && result.serviceRequestId !== undefined;
      if (result.kind === 'accepted' || knew) keys.accepted(key);
      return result;
    }
  }

  /** A try that waits for its turn, and is not made while the service does not answer anyone. */
  async function tryInTurn<Schema extends z.ZodType>(
    call: Call<Schema>,
    deadline: Deadline,
  ): Promise<CallResult<z.infer<Schema>>> {
    const measure = () => meter.calls(admission.underWay, admission.waiting);
    const entering = admission.enter(call.priority ?? priorityOf(call.route), deadline.signal);
    measure();
    const leave = await entering;
    measure();
    if (leave === undefined) return notSent('overloaded', OVERLOADED_RETRY_MS);
    try {
      const admittance = circuit.admit();
      if ('waitMs' in admittance) return notSent('circuit-open', admittance.waitMs);
      const result = await tryKeys(call, deadline);
      admittance.report(healthOf(result));
      return result;
    } finally {
      leave();
      measure();
    }
  }

  async function callInTime<Schema extends z.ZodType>(
    call: Call<Schema>,
    requestId: string | undefined,
  ): Promise<CallResult<z.infer<Schema>>> {
    const started = clock.now();
    const { deadlineMs = options.deadlineMs ?? DEFAULT_DEADLINE_MS } = call;
    const deadline = new Deadline(clock, deadlineMs);
    try {
      for (let tries = 1; ; tries++) {
        const result = await tryInTurn(call, deadline);
        const wait = retryDelay(call.method, result, tries, random);
        const left = started + deadlineMs - clock.now();
        if (wait !== undefined && wait < left && !deadline.passed) {
          // Ends before the deadline does, so nothing has to watch the signal.
          await delay(clock, wait);
          continue;
        }
        const { method, route } = call;
        const reason = 'reason' in result ? result.reason : undefined;
        const durationMs = clock.now() - started;
        logger.log(result.kind === 'accepted' ? 'info' : 'warn', 'service-call', {
          requestId,
          serviceRequestId: result.serviceRequestId,
          method,
          route,
          outcome: result.kind,
          reason,
          status: 'status' in result ? result.status : undefined,
          tries,
          durationMs,
        });
        meter.call({ method, route, outcome: result.kind, reason, seconds: durationMs / 1000 });
        return result;
      }
    } finally {
      deadline.cancel();
    }
  }

  return function callService(call, requestId) {
    const { method, route } = call;
    return inSpan(
      'client',
      `${method} ${route}`,
      {
        'http.request.method': method,
        'url.template': route,
        'server.address': base.hostname,
        ...(requestId === undefined ? {} : { 'financing.request_id': requestId }),
      },
      () => callInTime(call, requestId),
      (result) => ({
        attributes: {
          'financing.outcome': result.kind,
          ...('reason' in result ? { 'financing.reason': result.reason } : {}),
          ...('status' in result && result.status !== undefined
            ? { 'http.response.status_code': result.status }
            : {}),
        },
        failed: result.kind === 'not-sent' || result.kind === 'unknown',
      }),
    );
  };
}

/** How long those we have no room for are asked to stay away, in milliseconds. */
const OVERLOADED_RETRY_MS = 2_000;

function notSent(reason: NotSent['reason'], retryAfterMs?: number): NotSent {
  return { kind: 'not-sent', reason, serviceRequestId: undefined, retryAfterMs };
}

/** undici ends a body that was cut off with a TypeError that wraps the socket's error. */
function isConnectionError(error: Error): boolean {
  return error.cause instanceof Error || error.message === 'terminated';
}
