import type { Finding } from './finding.ts';
import type { Subject } from './subject.ts';

/** One requirement of the specification. */
export interface Rule {
  /** Section and, if the specification has one, number: "4.1", "5.3.missing". */
  id: string;
  /** The requirement in one line. */
  title: string;
  /** Set for a rule that sends POST requests and therefore needs `write`. */
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
