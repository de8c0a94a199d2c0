import type { Context } from 'hono';
import type { Env } from './env.ts';

/** The client disconnected before the response. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

/**
 * Returns a signal that is aborted when the client disconnects, which interrupts its query. The
 * reason is an Error; the reason from the adapter is a string, which Hono does not pass to error
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
