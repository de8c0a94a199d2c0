import { type FieldError, type ProblemCode, problems } from '@financing-checkout/contract';

/** What a problem says beyond its code. */
export interface ProblemExtras {
  /** What to do next; never holds input. */
  detail?: string | undefined;
  errors?: FieldError[] | undefined;
  /** Default false: no request is called safe to repeat without a reason. */
  retrySafe?: boolean | undefined;
  /** Base address of the process that writes, for the Financing-Leader header. */
  leader?: string | undefined;
  /** Methods that are answered, for the Allow header. */
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
