import type { App } from '../../listener/listener.ts';
import {
  environmentNames,
  environmentPaths,
  type EnvironmentName,
} from '../../environments/environment.ts';
import type { KeyRing } from '../../environments/keys.ts';

/** A request on its way to the good API, and what a mutant may do with it. */
export interface MutantCall {
  method: string;
  environment: EnvironmentName;
  /** Path below the environment's base address. */
  path: string;
  query: URLSearchParams;
  headers: Headers;
  /** Text of the body; undefined without one. */
  body: string | undefined;
  keys: KeyRing;
  /** What the good API answers to the request as it stands now. */
  forward: () => Promise<Response>;
}

/** A way to be wrong: it changes the request, the answer, or both. */
export type Deviation = (call: MutantCall) => Promise<Response>;

/** The good API with a deviation in front of it. */
export function deviate(app: App, keys: KeyRing, deviation: Deviation): App {
  return {
    fetch: async (request: Request, bindings: never) => {
      const url = new URL(request.url);
      const environment = environmentAt(url.pathname);
      const prefix = environmentPaths[environment];
      const call: MutantCall = {
        method: request.method,
        environment,
        path: url.pathname.slice(prefix.length),
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
            ...(body === undefined ? {} : { body }),
          });
          // fetch gives a body without a type one of its own; the request had none.
          if (!headers.has('content-type')) changed.headers.delete('content-type');
          return app.fetch(changed, bindings);
        },
      };
      return deviation(call);
    },
  };
}

function environmentAt(path: string): EnvironmentName {
  const found = environmentNames.find(
    (name) => environmentPaths[name] !== '' && path.startsWith(`${environmentPaths[name]}/`),
  );
  return found ?? 'sandbox';
}

/** Lets the request in, whatever key it came with. */
export function letIn(call: MutantCall): Promise<Response> {
  const { value } = call.keys.get(call.environment, 'private');
  call.headers.set('authorization', `Bearer ${value}`);
  return call.forward();
}

/** What follows "Bearer"; empty without it. */
export function credentials(call: MutantCall): string {
  return /^bearer +(.*)$/i.exec(call.headers.get('authorization') ?? '')?.[1] ?? '';
}

type JsonObject = Record<string, unknown>;

/** The records of an answer rewritten: changed, or with undefined left out. */
export async function rewriteRecords(
  response: Response,
  rewrite: (record: JsonObject, all: readonly JsonObject[]) => JsonObject | undefined,
): Promise<Response> {
  if (response.status !== 200) return response;
  const { records } = (await response.json()) as { records: JsonObject[] };
  const rewritten = records.flatMap((record) => rewrite(record, records) ?? []);
  return Response.json({ records: rewritten });
}
