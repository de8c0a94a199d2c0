import { ProblemError } from '../platform/problem.ts';
import type { StoredProblem } from '../store/store.ts';
import type { CallFailure, NotSent } from './result.ts';

/**
 * Returns the problem for the client after a failed service call.
 * @param options.movesMoney whether the call could have moved money, in which case a second call is
 * not safe while the outcome of the first is unknown
 */
export function serviceProblem(
  failure: CallFailure,
  options: { movesMoney: boolean },
): ProblemError {
  const { serviceRequestId } = failure;
  switch (failure.kind) {
    case 'rejected': {
      const message = 'was not accepted by the financing service';
      const errors = failure.fields.map((path) => ({ path, message }));
      return new ProblemError('service-rejected', {
        detail: `The service answered ${[failure.status, ...failure.codes].join(', ')}.`,
        serviceRequestId,
        errors: errors.length === 0 ? undefined : errors,
      });
    }
    case 'not-sent':
      return failure.reason === 'key-rejected'
        ? new ProblemError('service-key-rejected', {
            detail: 'Check the private key and that it belongs to this environment.',
            retrySafe: true,
            serviceRequestId,
          })
        : serviceUnavailable(failure, failure.reason);
    case 'unknown': {
      const isUnreadable = ['unreadable', 'too-large', 'redirect'].includes(failure.reason);
      return new ProblemError(isUnreadable ? 'service-answer-invalid' : 'outcome-unknown', {
        detail: options.movesMoney
          ? 'The outcome of this request is unknown; the companion is looking it up.'
          : 'The outcome of this request is unknown. Start again with a new Idempotency-Key.',
        retrySafe: !options.movesMoney,
        serviceRequestId,
      });
    }
  }
}

/** Returns the problem for a request that did nothing because the service did not respond. */
export function serviceUnavailable(
  {
    serviceRequestId,
    retryAfterMs = 2_000,
  }: Pick<NotSent, 'serviceRequestId' | 'retryAfterMs'> = {},
  reason: NotSent['reason'] = 'unreachable',
): ProblemError {
  return new ProblemError(reason === 'overloaded' ? reason : 'service-unavailable', {
    detail: 'Nothing was done. Try again in a moment.',
    retrySafe: true,
    serviceRequestId,
    retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1000)),
  });
}

export function failureReason(failure: CallFailure): string {
  return failure.kind === 'rejected'
    ? [failure.status, ...failure.codes].join(' ')
    : failure.reason;
}

/** Returns the part of a problem that is stored under an idempotency key. */
export function storedProblem({ code, extras }: ProblemError): StoredProblem {
  const { detail, retrySafe, serviceRequestId, errors } = extras;
  return { code, detail, retrySafe, serviceRequestId, errors };
}
