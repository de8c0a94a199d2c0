import { type CaseVerb, permittedVerbs } from '@financing-checkout/contract/reconciliation';
import type { CaseRow } from '../facts/case-facts.ts';

/**
 * Returns the end of a case's snooze; undefined unless it is in effect: the case is open, not merged
 * and unchanged since, and the date is in the future. A decision or a merge does not end the snooze,
 * so that undoing either restores the case.
 */
export function snoozeEnd(
  {
    contentHash,
    mergedInto,
    snoozedContent,
    snoozedUntil,
    state,
  }: Pick<CaseRow, 'contentHash' | 'mergedInto' | 'snoozedContent' | 'snoozedUntil' | 'state'>,
  now: number,
): number | undefined {
  if (snoozedUntil === undefined || snoozedUntil <= now || mergedInto !== undefined) {
    return undefined;
  }
  return state === 'open' && snoozedContent === contentHash ? snoozedUntil : undefined;
}

/** Returns the permitted actions of people. @param isMain whether other cases are merged into it */
export function permittedActions(row: CaseRow, now: number, isMain = false): CaseVerb[] {
  const isSnoozed = snoozeEnd(row, now) !== undefined;
  return permittedVerbs({
    isMain,
    isSnoozed,
    isMerged: row.mergedInto !== undefined,
    state: row.state,
  });
}
