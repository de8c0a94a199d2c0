import { type Environment, problemSchema } from '@financing-checkout/contract';
import { request } from 'undici';
import { type Clock, delay, type Secret } from '@financing-checkout/kit';
import { retryAfterMs } from '@financing-checkout/kit';
import type { SendRequest } from '@financing-checkout/kit/outgoing';
import { traceHeaders } from '../platform/tracing.ts';
import { inCompanionSpan } from './span.ts';

export interface CompanionOptions {
  /** URL of the companion's back-office API. */
  url: string;
  /**
   * A token with the scope `fundings`. Undefined: the companion runs on this machine without
   * tokens.
   */
  token: Secret | undefined;
  /** Expected environment of the companion. */
  environment: Environment;
  clock: Clock;
  /**
   * Timeout for a response, in milliseconds.
   * @default 75_000, which includes the time that the companion itself waits
   */
  deadlineMs?: number;
  /** Sends requests. @default undici's own connections, without a proxy */
  request?: SendRequest;
}

/** A failed request to the companion. Its message names the reason and contains no input. */
export class CompanionError extends Error {
  override readonly name = 'CompanionError';
  readonly reason: string;

  constructor(reason: string) {
    super(`The request to the companion failed: ${reason}.`);
    this.reason = reason;
  }
}

export interface CompanionQuery {
  path: string;
  query: Readonly<Record<string, string>>;
  /** Maximum body in bytes. */
  maxBytes: number;
  /** Maximum number of attempts. */
  tries: number;
  /** Aborts the request and its backoff. */
  signal?: AbortSignal | undefined;
}

export interface ConditionalQuery extends CompanionQuery {
  /** SHA-256 of a body that need not be transferred again, in hexadecimal. */
  known: string | undefined;
}

/** Sends requests to the companion's back office. */
export interface CompanionClient {
  /**
   * Returns the body of a response, byte for byte. Retries with backoff while the companion is
   * slow, busy or unavailable.
   * @throws {CompanionError} @throws the reason of the signal
   */
  get(query: CompanionQuery): Promise<Body>;
  /** Returns the body, or `same` if it is the known one. */
  getIfChanged(query: ConditionalQuery): Promise<Body | 'same'>;
}

type Body = Uint8Array<ArrayBuffer>;

/** Reason for a body above the maximum. */
export const TOO_LARGE = 'the answer is too large';
const DEADLINE_MS = 75_000;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;
const MAX_PROBLEM_BYTES = 65_536;

/** Result of a failed attempt. */
interface Failure {
  reason: string;
  /** Milliseconds until the next attempt may succeed; undefined: a retry is useless. */
  wait: number | undefined;
}

export function createCompanionClient(options: CompanionOptions): CompanionClient {
  const { clock } = options;
  const base = new URL(options.url.endsWith('/') ? options.url : `${options.url}/`);
  // The token may be replaced while the program runs.
  const headersNow = () => ({
    accept: 'application/json',
    'user-agent': 'financing-reconcile',
    ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token.reveal()}` }),
  });

  function attempt(wanted: ConditionalQuery): Promise<Body | 'same' | Failure> {
    const { path } = wanted;
    return inCompanionSpan(
      { method: 'GET', path, host: base.hostname },
      (onStatus) => attemptOnce(wanted, onStatus),
      (result) => (typeof result === 'object' && 'reason' in result ? result.reason : undefined),
    );
  }

  async function attemptOnce(
    wanted: ConditionalQuery,
    onStatus: (status: number) => void,
  ): Promise<Body | 'same' | Failure> {
    const deadline = new AbortController();
    const cancel = clock.after(options.deadlineMs ?? DEADLINE_MS, () => deadline.abort());
    const { path, query, maxBytes, signal, known } = wanted;
    const ends =
      signal === undefined ? deadline.signal : AbortSignal.any([deadline.signal, signal]);
    const url = new URL(path, base);
    url.search = new URLSearchParams(query).toString();
    try {
      const {
        statusCode,
        headers: answered,
        body,
      } = await (options.request ?? request)(url, {
        headers: {
          ...headersNow(),
          ...traceHeaders(),
          ...(known !== undefined && { 'if-none-match': `"${known}"` }),
        },
        signal: ends,
      });
      onStatus(statusCode);
      // Discarding a response must neither wait for the rest of it nor report that the rest is
      // missing.
      body.on('error', () => undefined);
      const header = (name: string) => {
        const value = answered[name];
        return Array.isArray(value) ? value[0] : value;
      };
      const wait = retryAfterMs(header('retry-after'), clock.now());
      const isSame = statusCode === 304 && known !== undefined;
      if (statusCode >= 300 && statusCode < 400 && !isSame) {
        body.destroy();
        return { reason: 'it redirects to another address', wait: undefined };
      }
      if (!isSame && (statusCode < 200 || statusCode > 299)) {
        return failureOf(statusCode, await readBody(body, MAX_PROBLEM_BYTES), wait);
      }
      const environment = header('financing-environment');
      if (environment !== options.environment) {
        body.destroy();
        const reason =
          environment === undefined
            ? 'the server at its address is not a companion'
            : 'it uses another environment of the service';
        return { reason, wait: undefined };
      }
      if (isSame) {
        await body.dump();
        return 'same';
      }
      const isLarge = Number(header('content-length') ?? 0) > maxBytes;
      if (isLarge) body.destroy();
      const bytes = isLarge ? undefined : await readBody(body, maxBytes);
      return bytes ?? { reason: TOO_LARGE, wait: undefined };
    } catch {
      signal?.throwIfAborted();
      const reason = deadline.signal.aborted ? 'it timed out' : 'it is unreachable';
      return { reason, wait: 0 };
    } finally {
      cancel();
    }
  }

  async function get(wanted: ConditionalQuery): Promise<Body | 'same'> {
    for (let tries = 1; ; tries++) {
      wanted.signal?.throwIfAborted();
      const result = await attempt(wanted);
      if (result === 'same' || result instanceof Uint8Array) return result;
      const { reason, wait } = result;
      if (wait === undefined || tries >= wanted.tries) throw new CompanionError(reason);
      // The delay grows even if the companion asks for a short one.
      const least = Math.max(wait, FIRST_WAIT_MS * 2 ** (tries - 1));
      await delay(clock, Math.min(MAX_WAIT_MS, least), wanted.signal);
    }
  }

  return {
    getIfChanged: get,
    async get(query) {
      const body = await get({ ...query, known: undefined });
      if (body === 'same') throw new TypeError('A body without a condition was not sent.');
      return body;
    },
  };
}

/** Problems that a retry cannot fix. */
const lasting = new Set<string>(['service-rejected', 'service-key-rejected']);

/** @param bytes undefined: the body is too large for a problem */
function failureOf(
  status: number,
  bytes: Uint8Array | undefined,
  retryAfter: number | undefined,
): Failure {
  if (status === 401) return { reason: 'it rejects the token', wait: undefined };
  if (status === 403) {
    return { reason: 'the token lacks the scope "fundings"', wait: undefined };
  }
  const code = problemCodeOf(bytes);
  const isTemporary = (status >= 500 || status === 429) && !lasting.has(code ?? '');
  return { reason: code ?? `status ${status}`, wait: isTemporary ? (retryAfter ?? 0) : undefined };
}

function problemCodeOf(bytes: Uint8Array | undefined): string | undefined {
  try {
    return problemSchema.parse(JSON.parse(new TextDecoder().decode(bytes))).code;
  } catch {
    // A proxy may respond in its own format, and then the status is enough.
    return undefined;
  }
}

/** Returns the whole body; undefined if it exceeds the limit. @throws if it is cut off */
export async function readBody(
  body: AsyncIterable<Uint8Array> & { destroy(): unknown },
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.byteLength;
    if (size > maxBytes) {
      body.destroy();
      return undefined;
    }
    pieces.push(piece);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}
