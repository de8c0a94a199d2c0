import type { ProblemCode } from '@financing-checkout/contract/storefront';
import { incompleteBody } from '@financing-checkout/kit/http';
import type { Context } from 'hono';
import { ImportBusyError, LedgerImportError } from '../imports/import-error.ts';
import { tooLarge, type Upload } from '../imports/receive/index.ts';
import { ProblemError } from '../platform/problem.ts';
import { ThreadBusyError } from '../platform/thread.ts';
import { type Env, clientSignal } from './context.ts';

/** Problems of every route that receives a file. */
export const ofUpload = [
  'media-type-unsupported',
  'overloaded',
  'rate-limited',
  'request-too-large',
  'standby',
  'storage-full',
] as const satisfies readonly ProblemCode[];

/**
 * Returns a request's body as a file.
 * @param limit maximum size; a longer body is refused before any of it is read
 * @throws {ProblemError} `invalid-request` without a body, `request-too-large`
 */
export function uploadOf(
  c: Context<Env>,
  limit?: { maxBytes: number; adviceAbove: string },
): Upload {
  const declared = Number(c.req.header('content-length') ?? 0);
  if (limit !== undefined && declared > limit.maxBytes) {
    throw tooLarge(limit.maxBytes, limit.adviceAbove);
  }
  const { body } = c.req.raw;
  if (body === null) {
    throw new ProblemError('invalid-request', { detail: 'Send the file as the body.' });
  }
  return {
    // The listener discards the rest of a body. If the body were canceled, Node would neither read
    // from the connection again nor close it.
    pieces: arriving(body.values({ preventCancel: true })),
    sender: c.get('actor'),
    declared,
    signal: clientSignal(c),
  };
}

/** Yields the chunks of a body, and reports a truncated one. */
async function* arriving(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces;
  } catch {
    throw incompleteBody();
  }
}

/**
 * Returns a file's media type.
 * @throws {ProblemError} `media-type-unsupported`, also for types that an HTML form could send
 */
export function fileTypeOf(c: Context<Env>, types: readonly string[]): string {
  const type = (c.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (types.includes(type)) return type;
  throw new ProblemError('media-type-unsupported', {
    detail: `Send a Content-Type of ${types.join(', ')}.`,
  });
}

/** Converts the errors of a file to problem responses. */
export async function explained(work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ImportBusyError) {
      throw new ProblemError('import-busy', {
        detail: 'Retry when it has ended: nothing of this request was imported.',
        retrySafe: true,
        retryAfterSeconds: 5,
      });
    }
    if (error instanceof ThreadBusyError) {
      const detail = error.message;
      throw new ProblemError('overloaded', { detail, retrySafe: true, retryAfterSeconds: 10 });
    }
    if (!(error instanceof LedgerImportError)) throw error;
    throw new ProblemError('invalid-request', { detail: error.message });
  }
}
