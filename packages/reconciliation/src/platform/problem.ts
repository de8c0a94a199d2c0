import { type FieldError, type ProblemCode, problems } from '@financing-checkout/contract';

/** Optional details of a problem. */
export interface ProblemExtras {
  /** What the caller should do next; never contains input. */
  detail?: string | undefined;
  errors?: FieldError[] | undefined;
  /** Default false: a request is safe to repeat only for a stated reason. */
  retrySafe?: boolean | undefined;
  /** The financing service's id of its answer. */
  serviceRequestId?: string | undefined;
  /** Base address of the writing process, for the Financing-Leader header. */
  leader?: string | undefined;
  /** Allowed methods, for the Allow header. */
  allow?: string | undefined;
  /** Seconds, for the Retry-After header. */
  retryAfterSeconds?: number | undefined;
}

/** Ends a request with a problem of the contract (RFC 9457). */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly code: ProblemCode;
  readonly extras: ProblemExtras;

  constructor(code: ProblemCode, extras: ProblemExtras = {}) {
    super(problems[code].title);
    this.code = code;
    this.extras = extras;
  }
}
