import { serviceProblem } from '../checkout/service-problem.ts';
import { ProblemError } from '../platform/problem.ts';
import { type CallFailure, isNotFound } from '../service/result.ts';

/** The Charge API's code for an operation that the charge's state does not permit. */
const NOT_PERMITTED = '2006';

/** Returns the problem that answers a caller whose request about a charge failed. */
export function chargeProblem(
  failure: CallFailure,
  options: { movesMoney: boolean },
): ProblemError {
  const { serviceRequestId } = failure;
  if (isNotFound(failure)) return new ProblemError('charge-not-found', { serviceRequestId });
  if (failure.kind === 'rejected' && failure.codes.includes(NOT_PERMITTED)) {
    return new ProblemError('charge-not-permitted', {
      detail: 'The financing service does not permit it (2006): look at the state of the charge.',
      serviceRequestId,
    });
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

/** Reason of a rejected operation whose transaction the service made and gave up. */
export const TRANSACTION_FAILED = 'transaction-failed';

export function transactionFailed(serviceRequestId?: string): ProblemError {
  return new ProblemError('service-rejected', {
    detail: 'The financing service made the transaction, and it failed.',
    serviceRequestId,
  });
}
