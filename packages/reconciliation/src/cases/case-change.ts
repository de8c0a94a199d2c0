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

/**
 * Returns a random id that begins with a timestamp, so that ids sort by creation time, to the
 * millisecond. The timestamp is followed by 80 random bits.
 */
export function timedId(prefix: 'case' | 'msg', now: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  const random = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${prefix}_${now.toString(36).padStart(9, '0')}${random}`;
}
