/**
 * How one call of the financing service ended, seen by what may have happened there.
 *
 * - `accepted`: it did what was asked and its answer was read.
 * - `rejected`: it answered that it did not (4xx).
 * - `not-sent`: it is certain that nothing was done: no connection, a 401 or 429, or not tried.
 * - `unknown`: it may have done it: timeout, reset, 5xx, 3xx, an answer that cannot be read.
 */
export type CallResult<Body> = Accepted<Body> | CallFailure;
export type CallFailure = Rejected | NotSent | Unknown;

export interface Accepted<Body> {
  kind: 'accepted';
  status: number;
  body: Body;
  serviceRequestId: string | undefined;
}

export interface Rejected {
  kind: 'rejected';
  status: number;
  /** The service's error codes ("2002"), as it sent them. */
  codes: string[];
  /** Names of the fields it did not accept; its texts may repeat values and are not kept. */
  fields: string[];
  serviceRequestId: string | undefined;
}

export interface NotSent {
  kind: 'not-sent';
  /** `circuit-open` and `overloaded`: the companion did not try, see `Circuit` and `Admission`. */
  reason: 'unreachable' | 'key-rejected' | 'throttled' | 'circuit-open' | 'overloaded';
  serviceRequestId: string | undefined;
  /** What the service asked us to wait, or we ask the caller to, in milliseconds. */
  retryAfterMs: number | undefined;
}

export interface Unknown {
  kind: 'unknown';
  reason: 'timeout' | 'connection-lost' | 'server-error' | 'redirect' | 'unreadable' | 'too-large';
  status: number | undefined;
  serviceRequestId: string | undefined;
  retryAfterMs: number | undefined;
}

/** The service's codes for something it does not know (reference: Charge API, error bodies). */
const notFoundCodes = ['1002', '2001'];

/**
 * Returns whether the service answered that it does not know what was asked for: a 404, which has no
 * body, or for a charge a 400 with the code 2001.
 */
export function isNotFound(result: CallResult<unknown>): boolean {
  if (result.kind !== 'rejected') return false;
  return result.status === 404 || result.codes.some((code) => notFoundCodes.includes(code));
}
