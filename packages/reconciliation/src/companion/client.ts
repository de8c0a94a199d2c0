import { problemSchema } from '@financing-checkout/contract/storefront';
import { delay, retryAfterMs } from '@financing-checkout/kit';
import { type CompanionOptions, createExchange, wrongEnvironment } from './exchange.ts';

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
  /** SHA-256, in hexadecimal, of the body that the client already has. */
  known: string | undefined;
}

/** Sends requests to the companion's back office. */
export interface CompanionClient {
  /**
   * Returns a response's body, byte for byte. Retries with backoff while the companion is slow,
   * busy or unavailable.
   * @throws {CompanionError} @throws the reason of the signal
   */
  get(query: CompanionQuery): Promise<Body>;
  /** Returns the body, or `same` if its digest is `known`. */
  getIfChanged(query: ConditionalQuery): Promise<Body | 'same'>;
}

type Body = Uint8Array<ArrayBuffer>;

/** Reason for rejecting a body above the maximum. */
export const TOO_LARGE = 'the answer is too large';
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;
const MAX_PROBLEM_BYTES = 65_536;

/** Result of a failed attempt. */
interface Failure {
  reason: string;
  /** Milliseconds until the next attempt may succeed; undefined: retrying is useless. */
  wait: number | undefined;
}

/** @param options with a token that has the scope `fundings` */
export function createCompanionClient(options: CompanionOptions): CompanionClient {
  const { clock } = options;
  const exchange = createExchange(options);

  function attempt({ known, maxBytes, path, query, signal }: ConditionalQuery) {
    return exchange<Body | 'same' | Failure>({
      method: 'GET',
      path,
      query,
      signal,
      ...(known !== undefined && { headers: { 'if-none-match': `"${known}"` } }),
      receive: async ({ status, header, body }) => {
        const isSame = status === 304 && known !== undefined;
        if (status >= 300 && status < 400 && !isSame) {
          body.destroy();
          return { reason: 'it redirects to another address', wait: undefined };
        }
        if (!isSame && (status < 200 || status > 299)) {
          const wait = retryAfterMs(header('retry-after'), clock.now());
          return failureOf(status, await readBody(body, MAX_PROBLEM_BYTES), wait);
        }
        const environment = header('financing-environment');
        if (environment !== options.environment) {
          body.destroy();
          return { reason: wrongEnvironment(environment), wait: undefined };
        }
        if (isSame) {
          await body.dump();
          return 'same';
        }
        const isLarge = Number(header('content-length') ?? 0) > maxBytes;
        if (isLarge) body.destroy();
        const bytes = isLarge ? undefined : await readBody(body, maxBytes);
        return bytes ?? { reason: TOO_LARGE, wait: undefined };
      },
      interrupted: (_, isLate) => {
        signal?.throwIfAborted();
        return { reason: isLate ? 'it timed out' : 'it is unreachable', wait: 0 };
      },
      failureOf: (result) =>
        typeof result === 'object' && 'reason' in result ? result.reason : undefined,
    });
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

/** @param bytes undefined: the body is too large to be a problem */
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
    // A proxy may respond in its own format; then the status is enough.
    return undefined;
  }
}

/** Returns the whole body; undefined if it exceeds the limit. @throws if it is truncated */
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
