import { ProblemError } from '../platform/problem.ts';
import type { CallFailure } from '../service/result.ts';

/**
 * What a failed call of the service means to who asked for it.
 * @param options.movesMoney whether the call could have moved money: then a second one is not safe
 * while the outcome of the first is unknown
 */
export function serviceProblem(
  failure: CallFailure,
  options: { movesMoney: boolean },
): ProblemError {
  const { serviceRequestId } = failure;
  switch (failure.kind) {
    case 'rejected':
      return new ProblemError('service-rejected', {
        detail: `The service answered ${[failure.status, ...failure.codes].join(', ')}.`,
        serviceRequestId,
        ...(failure.fields.length === 0
          ? {}
          : {
              errors: failure.fields.map((path) => ({
                path,
                message: 'was not accepted by the financing service',
              })),
            }),
      });
    case 'not-sent':
      return failure.reason === 'key-rejected'
        ? new ProblemError('service-key-rejected', {
            detail: 'Check the private key and that it belongs to this environment.',
            retrySafe: true,
            serviceRequestId,
          })
        : new ProblemError(failure.reason === 'overloaded' ? 'overloaded' : 'service-unavailable', {
            detail: 'Nothing was done. Try again in a moment.',
            retrySafe: true,
            serviceRequestId,
            retryAfterSeconds: Math.max(1, Math.ceil((failure.retryAfterMs ?? 2_000) / 1000)),
          });
    case 'unknown': {
      const unreadable = ['unreadable', 'too-large', 'redirect'].includes(failure.reason);
      return new ProblemError(unreadable ? 'service-answer-invalid' : 'outcome-unknown', {
        detail: options.movesMoney
          ? 'What became of this request is not known; it is being looked up.'
          : 'What became of this request is not known. Start again with a new Idempotency-Key.',
        retrySafe: !options.movesMoney,
        serviceRequestId,
      });
    }
  }
}
