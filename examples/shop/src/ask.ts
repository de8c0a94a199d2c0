import { problemSchema } from '@financing-checkout/contract/storefront';
import type { z } from 'zod';

/** Thrown when a program in the merchant's network gives no usable answer. The message says why. */
export class AskError extends Error {
  override readonly name = 'AskError';
  readonly code: 'unreachable' | 'token-refused' | 'request-refused' | 'answer-invalid';

  constructor(code: AskError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Settings for requests to a program in the merchant's network. */
export interface AskOptions {
  /** The program's name as it begins a sentence, such as "The companion". */
  name: string;
  url: string;
  token: string | undefined;
  /** Environment variable that holds the token. */
  tokenVariable: string;
  fetch?: typeof fetch;
  /** Maximum wait for an answer, in milliseconds. */
  timeout?: number;
}

export type Query = Record<string, string> | [string, string][];

/**
 * Sends a GET request, or a POST request if there is a `body`, and returns the answer.
 * @param options `key` is the Idempotency-Key
 * @throws {AskError}
 */
export type Ask = <T>(
  schema: z.ZodType<T>,
  path: string,
  options?: { query?: Query; body?: object; key?: string },
) => Promise<T>;

/** Returns a client for a program in the merchant's network, over HTTP with a bearer token. */
export function createAsk(options: AskOptions): Ask {
  const { name, token } = options;
  const send = options.fetch ?? fetch;
  const base = options.url.endsWith('/') ? options.url : `${options.url}/`;

  return async function ask(schema, path, { query = {}, body: sent, key } = {}) {
    const address = new URL(`${path}?${new URLSearchParams(query).toString()}`, base);
    let response: Response;
    let body: string;
    try {
      response = await send(address, {
        ...(sent && { method: 'POST', body: JSON.stringify(sent) }),
        headers: {
          accept: 'application/json',
          ...(sent && { 'content-type': 'application/json' }),
          ...(key !== undefined && { 'idempotency-key': key }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        // Following a redirect would send the token to an address that is not configured.
        redirect: 'error',
        signal: AbortSignal.timeout(options.timeout ?? 4_000),
      });
      body = await response.text();
    } catch (cause) {
      throw new AskError('unreachable', `${name} gave no answer.`, { cause });
    }
    const { status } = response;
    if (status === 401) {
      const message = `${name} refused the token: compare ${options.tokenVariable} on both sides.`;
      throw new AskError('token-refused', message);
    }
    if (!response.ok) {
      const code = status === 403 ? 'token-refused' : 'request-refused';
      throw new AskError(code, refusal(name, status, parse(body)));
    }
    const result = schema.safeParse(parse(body));
    if (result.success) return result.data;
    throw new AskError('answer-invalid', `The answer of ${inSentence(name)} could not be read.`);
  };
}

/**
 * Returns the program's own reason for a refusal, and the request's id in its log. Neither is
 * personal data.
 */
function refusal(name: string, status: number, body: unknown): string {
  const { data: problem } = problemSchema.safeParse(body);
  if (problem === undefined) return `${name} answered ${status}.`;
  const { title, detail, requestId } = problem;
  const why = detail === undefined ? `${title}.` : `${title}. ${detail}`;
  return `${name} says: ${why} (${status}, ${requestId})`;
}

function inSentence(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
