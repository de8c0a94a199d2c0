import { type Period, type Span, spanOf, statedPeriod } from '../platform/period.ts';
import { ProblemError } from '../platform/problem.ts';

/**
 * Returns the moments of a requested period. Rejects an empty period, whose empty answer would look
 * like a result.
 * @throws {ProblemError} `invalid-request`
 */
export function checkedSpan(period: Period): Span {
  const span = spanOf(period);
  if (span.from === undefined || span.to === undefined || span.from < span.to) return span;
  throw new ProblemError('invalid-request', {
    errors: [{ path: 'to', message: 'must not be before "from"' }],
  });
}

/** Returns the period for an answer; nothing without a requested period. */
export function shownPeriod(period: Period): { period?: Period } {
  return period.from === undefined && period.to === undefined
    ? {}
    : { period: statedPeriod(period) };
}
