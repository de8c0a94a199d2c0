import type { Subject } from './subject.ts';

/** The result of a rule. */
export type Verdict = 'pass' | 'fail' | 'not-checkable' | 'not-run';

/** A verdict and its evidence: statuses, counts, names of fields; no key, no personal data. */
export interface Finding {
  verdict: Verdict;
  seen: string;
}

/** One promise of the specification. */
export interface Rule {
  /** Section and number where the specification has one: "4.1", "5.3.missing". */
  id: string;
  /** The promise in one line. */
  title: string;
  /** Set for a rule that sends POST requests: it needs `write`. */
  writes?: true;
  /** Checks the rule, or states why no client can check it. */
  check: ((subject: Subject) => Promise<Finding>) | { cannot: string };
}

/** Creates a rule that only reads. */
export function rule(id: string, title: string, check: Rule['check']): Rule {
  return { id, title, check };
}

/** Creates a rule that sends POST requests. */
export function writing(id: string, title: string, check: Rule['check']): Rule {
  return { id, title, writes: true, check };
}

export const pass = (seen: string): Finding => ({ verdict: 'pass', seen });
export const fail = (seen: string): Finding => ({ verdict: 'fail', seen });

/** Thrown by a check without evidence: it must not pass by default. */
export class NotCheckable extends Error {
  override readonly name = 'NotCheckable';
}

/** Thrown by a check without the options that it needs. */
export class NotRun extends Error {
  override readonly name = 'NotRun';
}
