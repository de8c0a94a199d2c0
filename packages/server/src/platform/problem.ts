import type { FieldError, Money, Problem, ProblemCode } from '@financing-checkout/contract';
import { problems, problemType } from '@financing-checkout/contract';
import { describeFields } from './field-errors.ts';

/** What a problem says beyond its code. */
export interface ProblemExtras {
  /** What to do next; never holds input. */
  detail?: string | undefined;
  /** Default false: nothing is said to be safe that was not thought through. */
  retrySafe?: boolean | undefined;
  errors?: FieldError[] | undefined;
  serviceRequestId?: string | undefined;
  /** Only with `order-changed`. */
  amounts?: { approved: Money; current: Money } | undefined;
  /** Seconds, for the Retry-After header. */
  retryAfterSeconds?: number | undefined;
  /** The operation on a charge that it is about: for the log alone. */
  operationId?: string | undefined;
  /** For the Allow header: the methods there are, separated by commas. */
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
 * Returns what to do next, with the path and the reason of each field that is wrong: the one text that the
 * developer of the page, the log and `explain` have in common. It holds no value.
 */
export function problemDetail({ detail, errors = [] }: ProblemExtras): string | undefined {
  const texts = [detail, errors.length > 0 ? describeFields(errors) : undefined];
  return texts.filter((text) => text !== undefined).join(' ') || undefined;
}

/** The body of a problem (RFC 9457 3.1). */
export function problemBody(code: ProblemCode, extras: ProblemExtras, requestId: string): Problem {
  const { status, title } = problems[code];
  const { amounts, errors, serviceRequestId, retrySafe = false } = extras;
  const detail = problemDetail(extras);
  return {
    type: problemType(code),
    code,
    title,
    status,
    ...(detail === undefined ? {} : { detail }),
    requestId,
    ...(serviceRequestId === undefined ? {} : { serviceRequestId }),
    retrySafe,
    ...(errors === undefined ? {} : { errors }),
    ...(amounts === undefined ? {} : { amounts }),
  };
}
