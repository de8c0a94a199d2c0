import { errorCodes, ServiceError } from '../platform/service-error.ts';
import type { ApiContext } from './context.ts';

/**
 * Maximum size of a request body, in bytes. It fits the companion's request for its longest order
 * ticket. The service documents no limit.
 */
const MAX_BODY_BYTES = 4_194_304;

/** Reads the body up to the limit. @throws {ServiceError} 413; 400 for an incomplete body */
export async function readBody(request: Request): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const reader = (request.body as ReadableStream<Uint8Array> | null)?.getReader();
  if (!reader) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return Buffer.concat(chunks).toString('utf8');
      size += value.byteLength;
      if (size > MAX_BODY_BYTES) break;
      chunks.push(value);
    }
  } catch {
    throw new ServiceError(400, errorCodes.payloadInvalid, 'The body is incomplete.');
  }
  // The stream is not canceled: that would close the connection before the response is sent.
  throw tooLarge();
}

/**
 * Returns the JSON object of a body with one of the published media types (specification 5.7).
 * @throws {ServiceError} 415 for another content type; 400 code 10000 if it is not a JSON object
 */
export function jsonBody(c: ApiContext): object {
  return parse(c, c.get('body'));
}

/** Like {@link jsonBody}, for operations that accept only `application/json`. */
export function plainJsonBody(c: ApiContext): object {
  return parse(c, c.get('body'), (mediaType) => mediaType === 'application/json');
}

/** Like {@link jsonBody}, for operations without required fields: no body means an empty object. */
export function optionalJsonBody(c: ApiContext): object {
  const text = c.get('body');
  return text.trim() === '' ? {} : parse(c, text);
}

function parse(c: ApiContext, text: string, accepts = isJson): object {
  const mediaType = (c.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (!accepts(mediaType)) {
    throw new ServiceError(
      415,
      errorCodes.payloadInvalid,
      'The body must be JSON: application/json, text/json or application/*+json.',
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ServiceError(400, errorCodes.payloadInvalid, 'The body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ServiceError(400, errorCodes.payloadInvalid, 'The body must be a JSON object.');
  }
  return value;
}

/** Accepts every `+json` type, even `application/json-patch+json`, as a plain JSON body. */
function isJson(mediaType: string): boolean {
  return (
    mediaType === 'application/json' ||
    mediaType === 'text/json' ||
    /^application\/[^/+\s]+\+json$/.test(mediaType)
  );
}

function tooLarge(): ServiceError {
  return new ServiceError(
    413,
    errorCodes.payloadInvalid,
    `The body is larger than ${MAX_BODY_BYTES} bytes.`,
  );
}
