import { environmentNames, environmentPaths } from '../environments/environment.ts';
import type { App } from '../listener/listener.ts';
import type { Answer } from '../published/answer.ts';

/** An answer of the API as it leaves the sandbox. */
export interface SentAnswer extends Answer {
  /** Kind of the wire fault that a tester set on this call; null for an answer of the API itself. */
  fault: string | null;
}

/**
 * Hands a copy of each answer to a callback. A call whose answer a fault kept from the wire, or sent
 * byte by byte, has none to hand over.
 * @param faultOf returns the kind of fault that struck the call with this request id
 */
export function tap(
  app: App,
  faultOf: (requestId: string) => string | null,
  onAnswer: (answer: SentAnswer) => void,
): App {
  return {
    fetch: async (request: Request, bindings: never) => {
      const response = await app.fetch(request, bindings);
      // The adapter's mark of a response that went its own way over the wire.
      if (response.headers.has('x-hono-already-sent')) return response;
      onAnswer({
        method: request.method,
        path: pathBelowEnvironment(new URL(request.url).pathname),
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await response.clone().text(),
        fault: faultOf(response.headers.get('x-request-id') ?? ''),
      });
      return response;
    },
  };
}

function pathBelowEnvironment(path: string): string {
  const prefixes = environmentNames.map((name) => environmentPaths[name]);
  const found = prefixes.find((prefix) => prefix !== '' && path.startsWith(`${prefix}/`));
  return path.slice(found?.length ?? 0);
}
