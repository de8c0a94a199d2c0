import { splitPath } from '../environments/environment.ts';
import type { App } from '../listener/listener.ts';
import type { Answer } from '../published/answer.ts';

/** An API response as the sandbox sends it. */
export interface SentAnswer extends Answer {
  /** Kind of the wire fault that produced this response; null for the API's own response. */
  fault: string | null;
}

/**
 * Passes a copy of each response to a callback, except responses that a fault suppressed or wrote
 * directly to the socket.
 * @param faultOf returns the kind of fault that was applied to the call with a request id
 */
export function tap(
  app: App,
  faultOf: (requestId: string) => string | null,
  onAnswer: (answer: SentAnswer) => void,
): App {
  return {
    fetch: async (request: Request, bindings: never) => {
      const response = await app.fetch(request, bindings);
      // The adapter sets this header on a response that was sent without Hono.
      if (response.headers.has('x-hono-already-sent')) return response;
      onAnswer({
        method: request.method,
        path: splitPath(new URL(request.url).pathname).below,
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await response.clone().text(),
        fault: faultOf(response.headers.get('x-request-id') ?? ''),
      });
      return response;
    },
  };
}
