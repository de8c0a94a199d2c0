import type { z } from 'zod';
import {
  type Clock,
  isNotSent,
  retryAfterMs,
  type Transport,
  type TransportResponse,
} from '@financing-checkout/kit';
import { authorizationOf, type PrivateKey } from '../keys/private-key.ts';
import type { Priority } from '../platform/priority.ts';
import {
  AnswerTooLargeError,
  errorDetails,
  parseJson,
  readBytes,
  readText,
  requestIdOf,
} from './answer.ts';
import type { Deadline } from './deadline.ts';
import { type CallResult, notSent, type Unknown } from './result.ts';

export interface CallContext {
  priority: Priority;
  /** Correlates the log lines of one request. */
  requestId?: string;
}

export interface Call<Body> {
  method: 'GET' | 'POST';
  /** Path relative to the base URL; the one parameter in braces is replaced by `id`. */
  route: string;
  id?: string;
  query?: Record<string, string>;
  body?: unknown;
  /** Open schema of the response: unknown fields and enum values are accepted. */
  schema: z.ZodType<Body>;
  /** Time limit of the call, including all retries. @default the caller's time limit */
  deadlineMs?: number;
  /** @default 1 MiB */
  maxBytes?: number;
  /** `bytes`: the body of a 2xx is not parsed. @default 'json' */
  answer?: 'json' | 'bytes';
}

const DEFAULT_MAX_BYTES = 1_048_576;

/**
 * Returns the base URL of the financing service, ending in a slash.
 * @throws {TypeError} unless the URL is https: the key would be sent in cleartext, and the service
 * rejects such a request (specification 5.1)
 */
export function serviceBase(text: string): URL {
  const base = URL.canParse(text) ? new URL(text) : undefined;
  if (base?.protocol !== 'https:') {
    throw new TypeError('The base address of the financing service must be an https address.');
  }
  if (base.username || base.password || base.search || base.hash) {
    throw new TypeError('The base address must have no user, query or fragment.');
  }
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  return base;
}

function addressOf(base: URL, { route, id = '', query }: Call<unknown>): string {
  const path = route.slice(1).replace(/\{\w+\}/, () => encodeURIComponent(id));
  const url = new URL(path, base);
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
  return url.href;
}

interface Exchange {
  base: URL;
  transport: Transport;
  clock: Clock;
  hasKey: (text: string) => boolean;
}

/** Sends one request with one key and classifies the outcome; a 401 is `unauthorized`. */
export async function exchange<Body>(
  { base, transport, clock, hasKey }: Exchange,
  call: Call<Body>,
  key: PrivateKey,
  deadline: Deadline,
): Promise<CallResult<Body> | 'unauthorized'> {
  let response: TransportResponse;
  try {
    response = await deadline.wait(
      transport(addressOf(base, call), {
        method: call.method,
        headers: {
          accept: 'application/json',
          authorization: authorizationOf(key),
          ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: JSON.stringify(call.body),
        signal: deadline.signal,
        redirect: 'manual',
      }),
    );
  } catch (error) {
    if (!deadline.passed && isNotSent(error)) return notSent('unreachable');
    return { kind: 'unknown', reason: deadline.passed ? 'timeout' : 'connection-lost' };
  }
  const { status } = response;
  const wait = retryAfterMs(response.headers.get('retry-after'), clock.now());
  const unknown = (reason: Unknown['reason'], serviceRequestId?: string): Unknown => ({
    kind: 'unknown',
    reason,
    status,
    serviceRequestId,
    retryAfterMs: wait,
  });
  const isOk = status >= 200 && status < 300;
  const isClientError = status >= 400 && status < 500;

  let body: unknown;
  try {
    const { maxBytes = DEFAULT_MAX_BYTES } = call;
    body =
      call.answer === 'bytes' && isOk
        ? await deadline.wait(readBytes(response, maxBytes))
        : parseJson(await deadline.wait(readText(response, maxBytes)));
  } catch (error) {
    // For a 4xx, the status alone determines the outcome.
    if (!isClientError) return unknown(deadline.passed ? 'timeout' : readFailure(error));
  }
  const id = requestIdOf(body);
  const serviceRequestId = id !== undefined && hasKey(id) ? undefined : id;

  if (status === 401) return 'unauthorized';
  if (status === 429) return { ...notSent('throttled', wait), serviceRequestId };
  // 408: the service gave up on a request that it had started to read.
  if (isClientError && status !== 408) {
    return { kind: 'rejected', status, ...errorDetails(body, hasKey), serviceRequestId };
  }
  if (!isOk) {
    const isRedirect = status >= 300 && status < 400;
    return unknown(isRedirect ? 'redirect' : 'server-error', serviceRequestId);
  }
  const { success, data } = call.schema.safeParse(body);
  if (!success) return unknown('unreadable', serviceRequestId);
  return { kind: 'accepted', status, body: data, serviceRequestId };
}

function readFailure(error: unknown): Unknown['reason'] {
  if (error instanceof AnswerTooLargeError) return 'too-large';
  // undici reports a truncated body as a TypeError that wraps the socket's error.
  const isCutOff =
    error instanceof Error && (error.cause instanceof Error || error.message === 'terminated');
  return error instanceof TypeError && !isCutOff ? 'unreadable' : 'connection-lost';
}
