import { request as httpRequest } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { createSecureContext, getCACertificates } from 'node:tls';

/** One request. The Authorization header is explicit, so that no rule sends a key by accident. */
export interface WireRequest {
  method: 'GET' | 'POST' | 'PATCH';
  url: URL;
  /** The complete Authorization header; null omits it. */
  authorization: string | null;
  /** The body and its media type; null omits the Content-Type header. */
  body?: { text: string; contentType: string | null };
}

/** A response, or the reason why there is none. */
export type Exchange =
  | { answered: true; status: number; contentType: string; text: string; showsKey: boolean }
  | { answered: false; why: string };

export interface Wire {
  send(request: WireRequest): Promise<Exchange>;
}

export interface WireOptions {
  /** PEM certificates to trust in addition to Node's. */
  ca?: string | undefined;
  /** Timeout for a request and its complete response, in milliseconds. */
  timeoutMs: number;
  /** Strings that no response may contain; `showsKey` reports whether a response does. */
  secrets: readonly string[];
}

/** Maximum response size, in bytes: a page of a thousand records is far smaller. */
const MAX_ANSWER_BYTES = 64 * 1_048_576;

/**
 * Creates the HTTP client of the suite: one connection and one timeout per request, no redirects,
 * no retries, so that a rule checks the response to a single request.
 */
export function createWire({ ca, timeoutMs, secrets }: WireOptions): Wire {
  // Created once: reading the system's certificates takes longer than a request.
  const trusted =
    ca === undefined
      ? {}
      : { secureContext: createSecureContext({ ca: [...getCACertificates('default'), ca] }) };
  // Each request still has its own connection; the agent resumes the TLS session of the first one.
  const agent = new Agent({ ...trusted, keepAlive: false });
  return {
    send: async ({ method, url, authorization, body }) => {
      const isSecure = url.protocol === 'https:';
      const start = isSecure ? httpsRequest : httpRequest;
      try {
        const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
          const outgoing = start(url, {
            method,
            agent: isSecure ? agent : false,
            signal: AbortSignal.timeout(timeoutMs),
            headers: {
              accept: 'application/json',
              ...(authorization === null ? {} : { authorization }),
              ...(body ? { 'content-length': Buffer.byteLength(body.text) } : {}),
              ...(body && body.contentType !== null ? { 'content-type': body.contentType } : {}),
            },
          });
          outgoing.on('response', resolve).on('error', reject);
          outgoing.end(body?.text);
        });
        const text = await readText(incoming);
        const whole = incoming.rawHeaders.join('\n') + text;
        return {
          answered: true,
          status: incoming.statusCode ?? 0,
          contentType: incoming.headers['content-type'] ?? '',
          text,
          showsKey: secrets.some((secret) => whole.includes(secret)),
        };
      } catch (error) {
        return { answered: false, why: reasonOf(error, timeoutMs) };
      }
    },
  };
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER_BYTES) {
      incoming.destroy();
      throw new Error('too large');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Returns the kind of failure: an error message may contain addresses or the request. */
function reasonOf(error: unknown, timeoutMs: number): string {
  const { name, code = '', message } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError' || name === 'AbortError') return `none within ${timeoutMs} ms`;
  if (message === 'too large') return `more than ${MAX_ANSWER_BYTES} bytes`;
  return /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? code : 'the connection failed';
}
