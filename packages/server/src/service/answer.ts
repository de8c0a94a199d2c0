import { z } from 'zod';
import type { Rejected } from './result.ts';
import type { TransportResponse } from '@financing-checkout/kit';

export class AnswerTooLargeError extends Error {
  override readonly name = 'AnswerTooLargeError';
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a response body of at most `maxBytes`.
 * @throws {AnswerTooLargeError}
 * @throws {TypeError} when the body is not UTF-8
 */
export async function readText(response: TransportResponse, maxBytes: number): Promise<string> {
  return decoder.decode(await readBytes(response, maxBytes));
}

/** Reads the undecoded bytes of a response body into a new buffer. @throws {AnswerTooLargeError} */
export async function readBytes(
  response: TransportResponse,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  // A body that declares an excessive size is refused at the first chunk.
  const declared = Number(response.headers.get('content-length') ?? 0);
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (declared > maxBytes || size > maxBytes) throw new AnswerTooLargeError();
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
    release(chunk);
  }
  return bytes;
}

/**
 * Frees the memory of a chunk immediately, because the pages of a report would leave tens of
 * megabytes to the garbage collector. A chunk that shares its buffer is not freed.
 */
function release({ buffer, byteLength }: Uint8Array): void {
  if (byteLength > 0 && byteLength === buffer.byteLength && buffer instanceof ArrayBuffer) {
    buffer.transfer(0);
  }
}

/**
 * Parses a string as JSON, or returns the string itself if that fails, because the service also
 * sends plain text and its content type is unreliable. Returns undefined for an empty string.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text.trim() === '' ? undefined : text;
  }
}

/**
 * An id that is safe to log and to pass on: short, and limited to characters that rule out
 * arbitrary values.
 */
const idText = /^[\w.:-]{1,128}$/;

/** Returns the service's request id, which error bodies contain in either of two spellings. */
export function requestIdOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { requestId, RequestId } = body as Record<string, unknown>;
  return [requestId, RequestId].find((id) => typeof id === 'string' && idText.test(id)) as
    | string
    | undefined;
}

const codeText = /^[\w.-]{1,64}$/;
/** A field path, possibly in JSONPath form (`$.consumerDetails.email`). */
const fieldText = /^[\w.$[\]-]{1,128}$/;

/**
 * Returns the codes and field names of an error body, in either documented format: `{errors:
 * [{code, description}]}`, or `{errors: [{field, validationState, error}]}`, also in PascalCase.
 * Reference: Charge API, Checkout Management.
 * @param isSecret returns whether to omit a string, because pages see both codes and field names
 */
export function errorDetails(
  body: unknown,
  isSecret: (text: string) => boolean,
): Pick<Rejected, 'codes' | 'fields'> {
  const codes: string[] = [];
  const fields: string[] = [];
  for (const entry of entriesOf(body)) {
    for (const [name, value] of Object.entries(entry)) {
      const text = typeof value === 'number' ? String(value) : value;
      if (typeof text !== 'string') continue;
      if (name.toLowerCase() === 'code' && codeText.test(text)) codes.push(text);
      if (name.toLowerCase() === 'field' && fieldText.test(text)) fields.push(text);
    }
  }
  const publicOf = (texts: string[]) => texts.slice(0, 20).filter((text) => !isSecret(text));
  return { codes: publicOf(codes), fields: publicOf(fields) };
}

const errorBodySchema = z.looseObject({
  errors: z.array(z.unknown()).optional(),
  Errors: z.array(z.unknown()).optional(),
});

function entriesOf(body: unknown): Record<string, unknown>[] {
  const { data } = errorBodySchema.safeParse(body);
  const list = data?.errors ?? data?.Errors ?? [];
  return list.filter(
    (entry): entry is Record<string, unknown> => typeof entry === 'object' && entry !== null,
  );
}
