/**
 * The outcome of one call to the financing service, classified by what may have happened there.
 *
 * - `accepted`: the service executed the request, and its response was read.
 * - `rejected`: the service responded that it did not execute the request (4xx).
 * - `not-sent`: certainly nothing was done: no connection, a 401 or 429, or the call was not
 *   attempted.
 * - `unknown`: the service may have executed the request: timeout, reset, 5xx, 3xx or an unreadable
 *   response.
 */
export type CallResult<Body> = Accepted<Body> | CallFailure;
export type CallFailure = Rejected | NotSent | Unknown;

interface Result {
  /** HTTP status; undefined when no response was read. */
  status?: number;
  serviceRequestId?: string;
  /** Milliseconds to wait, as requested by the service or by the companion itself. */
  retryAfterMs?: number;
}

export interface Accepted<Body> extends Result {
  kind: 'accepted';
  status: number;
  body: Body;
}

export interface Rejected extends Result {
  kind: 'rejected';
  status: number;
  /** The service's error codes (such as "2002"), unmodified. */
  codes: string[];
  /**
   * Names of the refused fields. The service's error texts may contain values, so they are dropped.
   */
  fields: string[];
}

export interface NotSent extends Result {
  kind: 'not-sent';
  /**
   * `circuit-open` and `overloaded`: the companion did not make the call, see `Circuit` and
   * `Admission`.
   */
  reason: 'unreachable' | 'key-rejected' | 'throttled' | 'circuit-open' | 'overloaded';
}

export interface Unknown extends Result {
  kind: 'unknown';
  reason: 'timeout' | 'connection-lost' | 'server-error' | 'redirect' | 'unreadable' | 'too-large';
}

export function notSent(reason: NotSent['reason'], retryAfterMs?: number): NotSent {
  return { kind: 'not-sent', reason, retryAfterMs };
}

/** The service's codes for an unknown id (reference: Charge API, error bodies). */
const notFoundCodes = ['1002', '2001'];

/**
 * Returns whether the service has no such object: a 404 without a body, or a 400 with the code
 * 2001.
 */
export function isNotFound(result: CallResult<unknown>): boolean {
  if (result.kind !== 'rejected') return false;
  return result.status === 404 || result.codes.some((code) => notFoundCodes.includes(code));
}
