import type { Money } from '@financing-checkout/contract/money';
import type { FieldError, Problem, ProblemCode } from '@financing-checkout/contract/storefront';
import { describeFields, problems, problemType } from '@financing-checkout/contract/storefront';
import * as http from '@financing-checkout/kit/http';

export interface ProblemExtras extends http.ProblemExtras {
  errors?: FieldError[] | undefined;
  serviceRequestId?: string | undefined;
  /** Only with `order-changed`. */
  amounts?: { approved: Money; current: Money } | undefined;
  /** The charge operation that the problem is about, for the log only. */
  operationId?: string | undefined;
}

/** Ends a request with a problem of the contract (RFC 9457). */
export type ProblemError = http.ProblemError<ProblemCode, ProblemExtras>;
export const ProblemError: new (code: ProblemCode, extras?: ProblemExtras) => ProblemError =
  http.ProblemError;

/**
 * Returns the text that the answer, the log and `explain` share: what to do next, and the path and
 * reason of each wrong field. It contains no value from the request.
 */
export function problemDetail({ detail, errors = [] }: ProblemExtras): string | undefined {
  const texts = [detail, errors.length > 0 ? describeFields(errors) : undefined];
  return texts.filter((text) => text !== undefined).join(' ') || undefined;
}

/** The companion's codes and texts for problems. */
export const problemWords = {
  table: problems,
  typeOf: (code: ProblemCode) => problemType(code),
  detailOf: problemDetail,
  membersOf: ({ amounts, serviceRequestId }: ProblemExtras) => ({ amounts, serviceRequestId }),
};

export function problemBody(code: ProblemCode, extras: ProblemExtras, requestId: string): Problem {
  return http.problemBody(problemWords, code, extras, requestId);
}
