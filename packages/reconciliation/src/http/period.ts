import { type Period, type Span, spanOf } from '../platform/period.ts';
import { ProblemError } from '../platform/problem.ts';

/**
 * Returns the moments of a period that was asked for. An empty one would have an empty answer, which looks
 * like one of a whole.
 * @throws {ProblemError} `invalid-request`
 */
export function checkedSpan(period: Period): Span {
  const span = spanOf(period);
  if (span.from === undefined || span.to === undefined || span.from < span.to) return span;
  throw new ProblemError('invalid-request', {
    errors: [{ path: 'to', message: 'must not be before "from"' }],
  });
}

/** The period as an answer shows it; nothing where none was asked for. */
export function shownPeriod({ from, to, zone }: Period): { period?: Period } {
  if (from === undefined && to === undefined) return {};
  return {
    period: { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }), zone },
  };
}
