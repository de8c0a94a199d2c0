import type { CaseRow, NewAlert } from '../facts/case-facts.ts';
import type { NewCaseEvent } from './trail.ts';

/** The actor of automatic changes. */
export const RECONCILIATION = 'reconciliation';

/** The new values of a case, and the event that records them. */
export interface CaseChange {
  row: CaseRow;
  event: NewCaseEvent;
  /** A message to finance about the case. */
  alert?: NewAlert;
}
