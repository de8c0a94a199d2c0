import type { Context } from 'hono';
import type { Env } from './env.ts';

/** The client went away before its answer. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

/**
 * Returns a signal that is aborted when the client goes away: it interrupts the query of its request. Its
 * reason is an error; that of the adapter is a text, which no error handler of Hono is given.
 */
export function clientSignal(c: Context<Env>): AbortSignal {
  const controller = new AbortController();
  const { signal } = c.req.raw;
  const abort = () => controller.abort(new ClientGoneError('The client has gone.'));
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return controller.signal;
}
