import { type Period, type Span, spanOf, statedPeriod } from '../queries/basis/period.ts';
import { ProblemError } from '../platform/problem.ts';

/**
 * Returns the start and end of a requested period. Rejects an empty period, because its empty
 * response would look like a real result.
 * @throws {ProblemError} `invalid-request`
 */
export function checkedSpan(period: Period): Span {
  const span = spanOf(period);
  if (span.from === undefined || span.to === undefined || span.from < span.to) return span;
  throw new ProblemError('invalid-request', {
    errors: [{ path: 'to', message: 'must not be before "from"' }],
  });
}

/** Returns the period for a response, or nothing if no period was requested. */
export function shownPeriod(period: Period): { period?: Period } {
  return period.from === undefined && period.to === undefined
    ? {}
    : { period: statedPeriod(period) };
}

/** Returns a predicate that tells whether a time (ISO 8601) is in the requested period. */
export function within({ from, to }: Omit<Period, 'zone'>, zone: string): (at: string) => boolean {
  const { from: start = -Infinity, to: end = Infinity } = checkedSpan({ from, to, zone });
  return (at) => Date.parse(at) >= start && Date.parse(at) < end;
}
