import type { Subject } from './subject.ts';

/** How a rule came out. */
export type Verdict = 'pass' | 'fail' | 'not-checkable' | 'not-run';

/** A verdict and what it rests on: statuses, counts, names of fields; never a key or a person. */
export interface Finding {
  verdict: Verdict;
  seen: string;
}

/** One promise of the specification. */
export interface Rule {
  /** Section and number where the specification has one: "4.1", "5.3.missing". */
  id: string;
  /** What is promised, in a line. */
  title: string;
  /** It sends POST requests, so it is run only when that was allowed. */
  writes?: true;
  /** A function that looks, or why nobody can from outside. */
  check: ((subject: Subject) => Promise<Finding>) | { cannot: string };
}

export const pass = (seen: string): Finding => ({ verdict: 'pass', seen });
export const fail = (seen: string): Finding => ({ verdict: 'fail', seen });

/** Thrown by a check that has nothing to judge by: it must not pass on an empty hand. */
export class NotCheckable extends Error {
  override readonly name = 'NotCheckable';
}

/** Thrown by a check that was not given what it needs. */
export class NotRun extends Error {
  override readonly name = 'NotRun';
}
