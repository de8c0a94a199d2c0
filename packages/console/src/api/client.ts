import type {
  Call,
  InputOf,
  OperationName,
  Operations,
} from '@financing-checkout/contract/reconciliation';
import type { Problem } from '@financing-checkout/contract/storefront';

/** A request that failed. `code` is the problem's code, or `offline` if there was no response. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly detail: string | undefined;
  readonly requestId: string | undefined;
  /** URL of the active (writing) process, if this one is on standby. */
  readonly leader: string | undefined;
  /** Facts that the detail states. */
  readonly parameters: Readonly<Record<string, string>>;

  constructor(status: number, code: string, more: Partial<ApiError> = {}) {
    super(code);
    this.status = status;
    this.code = code;
    this.detail = more.detail;
    this.requestId = more.requestId;
    this.leader = more.leader;
    this.parameters = more.parameters ?? {};
  }
}

/** Error codes that do not tell whether the action took effect. */
const unclear = new Set([
  'idempotency-in-flight',
  'outcome-unknown',
  'answer-unreadable',
  'session-ended',
]);

/** Whether an action may have taken effect despite an error, or may still do so with the same key. */
export function isUnclear({ status, code }: Pick<ApiError, 'status' | 'code'>): boolean {
  if (code === 'service-rejected') return false;
  return status === 0 || status === 429 || status >= 500 || unclear.has(code);
}

export interface ApiRequest {
  method?: 'GET' | 'POST' | 'DELETE';
  query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  /** Sent as JSON, except for a Blob, which is sent unchanged. */
  body?: unknown;
  /** Idempotency-Key: the same for every retry of an action. */
  key?: string;
  signal?: AbortSignal;
}

export type ConnectionEvent = 'session-started' | 'session-ended' | 'offline' | 'online';
/** @param reason why the session has ended, in English; empty: its time was over */
type Listener = (event: ConnectionEvent, reason: string) => void;
const listeners = new Set<Listener>();

/**
 * Calls the listener when a session starts, and when a request shows that it ended or that the server
 * is unreachable.
 */
export function onConnection(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function say(event: ConnectionEvent, reason = ''): void {
  for (const listener of listeners) listener(event, reason);
}

let sessions = 0;

/** Reports that a session started, so that a late answer to an earlier request does not end it. */
export function sessionStarted(): void {
  sessions += 1;
  say('session-started');
}

/** Whether a request failed because the session had ended. */
export const isOfEndedSession = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 401;

let changes = 0;

/** Returns how many requests from this window may have changed data. */
export const changesSent = (): number => changes;

/** Returns an order's path in the API. */
export const pathOfOrder = (orderKey: string) => `/orders/${encodeURIComponent(orderKey)}`;

/** Returns the URL of a request with its query. Undefined and empty values are omitted. */
export function addressOf(path: string, query: ApiRequest['query'] = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== '') search.append(name, String(one));
    }
  }
  return search.size === 0 ? path : `${path}?${search.toString()}`;
}

/**
 * Sends a request to the API that serves this page.
 * @throws {ApiError}
 */
export async function send(path: string, request: ApiRequest = {}): Promise<Response> {
  const { method = 'GET', query, body, key, signal } = request;
  const headers = new Headers({ accept: 'application/json' });
  if (method !== 'GET') headers.set('financing-console', '1');
  // Requests about the session change no data.
  if (method !== 'GET' && !path.startsWith('/console/')) changes += 1;
  if (key !== undefined) headers.set('idempotency-key', key);
  if (body instanceof Blob) headers.set('content-type', body.type);
  else if (body !== undefined) headers.set('content-type', 'application/json');
  const session = sessions;
  let response: Response;
  try {
    response = await fetch(addressOf(path, query), {
      method,
      headers,
      credentials: 'same-origin',
      redirect: 'error',
      cache: 'no-store',
      ...(body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
      signal,
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw unreachable();
  }
  return answered(response, session);
}

/** Reports that the server did not respond. */
export function unreachable(): ApiError {
  say('offline');
  return new ApiError(0, 'offline');
}

/**
 * Returns the response if it is successful.
 * @param session number of sessions started when the request was sent
 * @throws {ApiError}
 */
export async function answered(response: Response, session = sessions): Promise<Response> {
  say('online');
  if (response.ok) return response;
  const problem = await problemOf(response);
  // Applies even without a cookie, because another window may have signed out. There is no listener
  // before sign-in.
  if (response.status === 401 && session === sessions) {
    say('session-ended', problem.code === 'session-ended' ? problem.detail : '');
  }
  throw problem;
}

/** Returns the message of an input error, preceded by the input's name: `lender is unknown`. */
const errorText = ({ path, message }: { path: string; message: string }) =>
  path === '' ? message : `${path} ${message}`;

async function problemOf(response: Response): Promise<ApiError> {
  const { status, headers } = response;
  const problem = (await response.json().catch(() => ({}))) as Partial<Problem>;
  const code = problem.code ?? `http-${status}`;
  return new ApiError(status, code, {
    detail: [problem.detail, ...(problem.errors ?? []).map(errorText)]
      .filter((text) => text !== undefined)
      .join(' '),
    requestId: problem.requestId,
    leader: headers.get('financing-leader') ?? undefined,
    parameters: problem.parameters,
  });
}

/** Returns the response's JSON. @throws {ApiError} */
export async function get<Answer>(
  path: string,
  query?: ApiRequest['query'],
  signal?: AbortSignal,
): Promise<Answer> {
  const response = await send(path, {
    query,
    signal,
  });
  return read<Answer>(response);
}

/** Sends JSON and returns the response's JSON. @throws {ApiError} */
export async function post<Answer>(
  path: string,
  body: unknown,
  more: Omit<ApiRequest, 'method' | 'body'> = {},
): Promise<Answer> {
  return read<Answer>(await send(path, { ...more, method: 'POST', body }));
}

/** Returns the URL for a call of a declared operation. */
export function addressOfCall<Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
): string {
  const values = input as Readonly<Record<string, unknown>>;
  const path = name
    .slice(name.indexOf('/'))
    .replaceAll(/:(\w+)/g, (_, parameter: string) => encodeURIComponent(String(values[parameter])));
  return addressOf(path, values.query as ApiRequest['query']);
}

/**
 * Calls an operation declared by the contract, whose name determines input and answer. @throws
 * {ApiError}
 */
export const call: Call<Operations, Pick<ApiRequest, 'key' | 'signal'>> = async (name, input) => {
  const { body, key, signal }: Omit<ApiRequest, 'query'> = input;
  const method = name.startsWith('get ') ? 'GET' : 'POST';
  return read(await send(addressOfCall(name, input), { method, body, key, signal }));
};

async function read<Answer>(response: Response): Promise<Answer> {
  if (response.status === 204) return undefined as Answer;
  try {
    return (await response.json()) as Answer;
  } catch {
    throw new ApiError(response.status, 'answer-unreadable');
  }
}

/** Returns a new Idempotency-Key. Keep it for all retries of an action. */
export function newKey(): string {
  return crypto.randomUUID();
}
