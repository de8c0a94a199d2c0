import { checkFields } from '@financing-checkout/contract/storefront';
import { createServing, type HttpVariables } from '@financing-checkout/kit/http';
import type { Scope } from '../config/tokens.ts';
import type { PersonKey } from '../facts/people.ts';
import type { Context } from 'hono';
import { ProblemError } from '../platform/problem.ts';

/** Values that middleware passes to the routes. */
export interface Env {
  Variables: HttpVariables & {
    actor: string;
    /** The person who signed in. Undefined: a token's owner. */
    person: PersonKey | undefined;
    /** The console session's ID. Undefined: the request has a token. */
    session: string | undefined;
    scopes: readonly Scope[];
  };
}

export const { parseValue, serve } = createServing<Env>(checkFields);

/** The client disconnected before the response. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

/**
 * Returns a signal that is aborted when the client disconnects, to interrupt its query. Its reason
 * is an Error, because the adapter's own reason is a string, which Hono does not pass to error
 * handlers.
 */
export function clientSignal(c: Context<Env>): AbortSignal {
  const controller = new AbortController();
  const { signal } = c.req.raw;
  const abort = () => controller.abort(new ClientGoneError('The client disconnected.'));
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return controller.signal;
}

/** Returns a request's Idempotency-Key. @throws {ProblemError} `idempotency-key-missing` */
export function idempotencyKey(c: Context<Env>): string {
  const header = c.req.header('idempotency-key');
  if (header !== undefined && /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw new ProblemError('idempotency-key-missing', {
    detail: 'Send an Idempotency-Key of 1 to 255 printable ASCII characters, new for each action.',
  });
}
