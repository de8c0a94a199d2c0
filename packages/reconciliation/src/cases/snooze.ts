import { type CaseVerb, permittedVerbs } from '@financing-checkout/contract/reconciliation';
import type { CaseRow } from '../facts/case-facts.ts';

/**
 * Returns until when a case is snoozed; undefined unless it is snoozed now: open, not merged, with
 * the content that it had when it was snoozed, and before the date. A decision or a merge does not
 * end it, so that one that is undone leaves the case as it was.
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

/** Returns what a person can do with a case. @param isMain whether others are handled with it */
export function permittedActions(row: CaseRow, now: number, isMain = false): CaseVerb[] {
  const isSnoozed = snoozeEnd(row, now) !== undefined;
  return permittedVerbs({
    isMain,
    isSnoozed,
    isMerged: row.mergedInto !== undefined,
    state: row.state,
  });
}
