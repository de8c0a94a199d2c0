import { ProblemError } from '../platform/problem.ts';
import { serviceProblem } from '../service/problem.ts';
import { type CallFailure, isNotFound } from '../service/result.ts';

/** The Charge API's code for an operation that the charge's state does not permit. */
const NOT_PERMITTED = '2006';

/** Returns the problem for a charge request whose service call failed. */
export function chargeProblem(
  failure: CallFailure,
  options: { movesMoney: boolean },
): ProblemError {
  const { serviceRequestId } = failure;
  if (isNotFound(failure)) return new ProblemError('charge-not-found', { serviceRequestId });
  if (failure.kind === 'rejected' && failure.codes.includes(NOT_PERMITTED)) {
    return new ProblemError('charge-not-permitted', {
      detail: 'The financing service does not permit it (2006): check the state of the charge.',
      serviceRequestId,
    });
  }
  if (failure.kind === 'unknown' && options.movesMoney) {
    return new ProblemError('outcome-unknown', {
      detail:
        'The service may have executed it; the companion is looking it up. Send the same Idempotency-Key again to get the outcome.',
      serviceRequestId,
      retryAfterSeconds: 2,
    });
  }
  const problem = serviceProblem(failure, options);
  if (failure.kind !== 'unknown') return problem;
  return new ProblemError(problem.code, {
    ...problem.extras,
    detail:
      'The charge could not be read, so nothing was sent. Try again; you may keep the Idempotency-Key.',
  });
}

/** Reason for a rejected operation whose transaction was created at the service and then failed. */
export const TRANSACTION_FAILED = 'transaction-failed';

export function transactionFailed(serviceRequestId?: string): ProblemError {
  return new ProblemError('service-rejected', {
    detail: 'The financing service created the transaction, but it failed.',
    serviceRequestId,
  });
}
