/** The result of a rule. */
export type Verdict = 'pass' | 'fail' | 'not-checkable' | 'not-run';

/** A verdict and its evidence: statuses, counts, field names; no keys, no personal data. */
export interface Finding {
  verdict: Verdict;
  seen: string;
}

export const pass = (seen: string): Finding => ({ verdict: 'pass', seen });
export const fail = (seen: string): Finding => ({ verdict: 'fail', seen });

/** Thrown by a check that has no evidence, because it must not pass by default. */
export class NotCheckable extends Error {
  override readonly name = 'NotCheckable';
}

/** Thrown by a check that lacks the options it needs. */
export class NotRun extends Error {
  override readonly name = 'NotRun';
}
