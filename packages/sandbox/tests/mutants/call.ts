import type { App } from '../../src/listener/listener.ts';
import {
  environmentPaths,
  splitPath,
  type EnvironmentName,
} from '../../src/environments/environment.ts';
import type { KeyRing } from '../../src/environments/keys.ts';

/** A request to the correct API, which a mutant may change. */
export interface MutantCall {
  method: string;
  environment: EnvironmentName;
  /** Path relative to the environment's base URL. */
  path: string;
  query: URLSearchParams;
  headers: Headers;
  /** Raw body; undefined if there is none. */
  body: string | undefined;
  keys: KeyRing;
  /** Sends the modified request to the correct API. */
  forward: () => Promise<Response>;
}

/** A deviation from the contract, which changes the request, the response, or both. */
export type Deviation = (call: MutantCall) => Promise<Response>;

/** Wraps the correct API in a deviation. */
export function deviate(app: App, keys: KeyRing, deviation: Deviation): App {
  return {
    fetch: async (request: Request, bindings: never) => {
      const url = new URL(request.url);
      const { environment, below } = splitPath(url.pathname);
      const prefix = environmentPaths[environment];
      const call: MutantCall = {
        method: request.method,
        environment,
        path: below,
        query: url.searchParams,
        headers: new Headers(request.headers),
        body: ['GET', 'HEAD'].includes(request.method) ? undefined : await request.text(),
        keys,
        forward: async () => {
          url.pathname = prefix + call.path;
          const { method, headers, body } = call;
          headers.delete('content-length');
          const changed = new Request(url, {
            method,
            headers,
            body,
          });
          // Request adds its own content type; the original request had none.
          if (!headers.has('content-type')) changed.headers.delete('content-type');
          return app.fetch(changed, bindings);
        },
      };
      return deviation(call);
    },
  };
}

/** Forwards the request with the right key. */
export function forwardAuthorized(call: MutantCall): Promise<Response> {
  const { value } = call.keys.get(call.environment, 'private');
  call.headers.set('authorization', `Bearer ${value}`);
  return call.forward();
}

/** Returns the credentials of a Bearer header; empty if there is none. */
export function credentials(call: MutantCall): string {
  return /^bearer +(.*)$/i.exec(call.headers.get('authorization') ?? '')?.[1] ?? '';
}

type JsonObject = Record<string, unknown>;

/** Rewrites the records of a response; undefined removes a record. */
export async function rewriteRecords(
  response: Response,
  rewrite: (record: JsonObject, all: readonly JsonObject[]) => JsonObject | undefined,
): Promise<Response> {
  if (response.status !== 200) return response;
  const { records } = (await response.json()) as { records: JsonObject[] };
  const rewritten = records.flatMap((record) => rewrite(record, records) ?? []);
  return Response.json({ records: rewritten });
}
