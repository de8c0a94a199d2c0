import { readFileSync } from 'node:fs';
import { httpsServer } from '../../src/node/https.fixture.ts';

interface Example {
  status: number;
  contentType?: string;
  body?: unknown;
}
interface ExampleOperation {
  method: string;
  path: string;
  requests: Record<string, unknown>[];
  responses: Example[];
}

/** Requests and responses of each operation in the published shapes, with invented values. */
export const examples = JSON.parse(
  readFileSync(new URL('examples.json', import.meta.url), 'utf8'),
) as {
  operations: Record<string, ExampleOperation>;
  notifications: { name: string; body: Record<string, unknown> }[];
};

export interface ExampleCall {
  operation: string;
  query: URLSearchParams;
  body: unknown;
}

/**
 * Starts a real HTTPS server that answers only with the published examples: it keeps no state and
 * shares no code with the sandbox. An operation gives its first response until `answer` chooses others.
 */
export async function startExampleService() {
  const queues = new Map<string, Example[]>();
  const calls: ExampleCall[] = [];
  const operations = Object.entries(examples.operations).map(([name, operation]) => ({
    name,
    method: operation.method,
    path: new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]+')}$`),
  }));
  // The specification names this operation; it has the shapes of the session.
  operations.push({ name: 'session.create', method: 'POST', path: /^\/v1\/checkout\/prime$/ });
  const server = await httpsServer((request, response, text) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'https://service.example');
    const operation = operations.find(
      ({ method, path }) => method === request.method && path.test(pathname),
    );
    if (operation === undefined) throw new Error(`No example of ${request.method} ${pathname}.`);
    const { name } = operation;
    const body = text === '' ? undefined : (JSON.parse(text) as unknown);
    calls.push({ operation: name, query: searchParams, body });
    const queue = queues.get(name);
    const example = (queue && queue.length > 1 ? queue.shift() : queue?.[0]) ?? responseOf(name, 0);
    response.writeHead(
      example.status,
      example.contentType === undefined ? {} : { 'content-type': example.contentType },
    );
    response.end(example.body === undefined ? undefined : JSON.stringify(example.body));
  });
  return {
    ...server,
    calls,
    callsOf: (name: string) => calls.filter(({ operation }) => operation === name),
    /** Chooses the next responses of an operation by their fields; the last one repeats. */
    answer(name: string, ...wanted: Wanted[]) {
      queues.set(
        name,
        wanted.map((which) => responseOf(name, which)),
      );
    },
    forget() {
      queues.clear();
      calls.length = 0;
    },
  };
}

/** Finds an example by its index, or by its status and fields. */
type Wanted = number | ({ status?: number } & Record<string, unknown>);

function responseOf(name: string, wanted: Wanted): Example {
  const responses = examples.operations[name]?.responses ?? [];
  const found =
    typeof wanted === 'number'
      ? responses[wanted]
      : responses.find((response) => {
          const { status = response.status, ...fields } = wanted;
          const body = (response.body ?? {}) as Record<string, unknown>;
          return (
            response.status === status &&
            Object.entries(fields).every(([field, value]) => body[field] === value)
          );
        });
  if (found === undefined) throw new Error(`No such example of ${name}.`);
  return found;
}
