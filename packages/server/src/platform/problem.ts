import type { FieldError, Money, Problem, ProblemCode } from '@financing-checkout/contract';
import { describeFields, problems, problemType } from '@financing-checkout/contract';

/** The details of a problem. */
export interface ProblemExtras {
  /** What to do next. Never contains input. */
  detail?: string | undefined;
  /** Whether a retry is safe. @default false */
  retrySafe?: boolean | undefined;
  errors?: FieldError[] | undefined;
  serviceRequestId?: string | undefined;
  /** Only with `order-changed`. */
  amounts?: { approved: Money; current: Money } | undefined;
  /** Seconds, for the Retry-After header. */
  retryAfterSeconds?: number | undefined;
  /** The charge operation that the problem is about, for the log only. */
  operationId?: string | undefined;
  /** For the Allow header: the methods of the path, separated by commas. */
  allow?: string | undefined;
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

/**
 * Returns the text that the answer, the log and `explain` share: what to do next, and the path and
 * reason of each wrong field. It contains no value of the request.
 */
export function problemDetail({ detail, errors = [] }: ProblemExtras): string | undefined {
  const texts = [detail, errors.length > 0 ? describeFields(errors) : undefined];
  return texts.filter((text) => text !== undefined).join(' ') || undefined;
}

/** Returns the body of a problem (RFC 9457 3.1). */
export function problemBody(code: ProblemCode, extras: ProblemExtras, requestId: string): Problem {
  const { status, title } = problems[code];
  const { amounts, errors, serviceRequestId, retrySafe = false } = extras;
  const detail = problemDetail(extras);
  return {
    type: problemType(code),
    code,
    title,
    status,
    detail,
    requestId,
    serviceRequestId,
    retrySafe,
    errors,
    amounts,
  };
}
