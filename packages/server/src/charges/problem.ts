import { serviceProblem } from '../checkout/service-problem.ts';
import { ProblemError } from '../problem/problem.ts';
import type { CallFailure } from '../service/result.ts';

/** Error codes of the Charge API that have a problem of their own (reference: error bodies). */
const CHARGE_NOT_FOUND = '2001';
const NOT_FOUND = '1002';
const NOT_PERMITTED = '2006';

/** What a failed call about a charge means to who asked for it. */
export function chargeProblem(
  failure: CallFailure,
  options: { movesMoney: boolean },
): ProblemError {
  const { serviceRequestId } = failure;
  if (failure.kind === 'rejected') {
    const { codes, status } = failure;
    if (status === 404 || codes.includes(CHARGE_NOT_FOUND) || codes.includes(NOT_FOUND)) {
      return new ProblemError('charge-not-found', { serviceRequestId });
    }
    if (codes.includes(NOT_PERMITTED)) {
      return new ProblemError('charge-not-permitted', {
        detail: 'The financing service does not permit it (2006): look at the state of the charge.',
        serviceRequestId,
      });
    }
  }
  if (failure.kind === 'unknown' && options.movesMoney) {
    return new ProblemError('outcome-unknown', {
      detail:
        'The service may have done it; it is being looked up. Send the same Idempotency-Key again to hear what became of it.',
      serviceRequestId,
      retryAfterSeconds: 2,
    });
  }
  const problem = serviceProblem(failure, options);
  if (failure.kind !== 'unknown') return problem;
  return new ProblemError(problem.code, {
    ...problem.extras,
    detail: 'The charge could not be read; nothing was sent. Try again: a key may stay the same.',
  });
}

/** Why an operation is rejected that the service took, and gave up on. */
export const TRANSACTION_FAILED = 'transaction-failed';

export function transactionFailed(serviceRequestId?: string): ProblemError {
  return new ProblemError('service-rejected', {
    detail: 'The financing service made the transaction, and it failed.',
    serviceRequestId,
  });
}
