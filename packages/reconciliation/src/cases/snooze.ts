import type { CaseRow } from '../facts/case-facts.ts';

/**
 * Returns until when a case is snoozed; undefined unless it is snoozed now: open, with the content
 * that it had when it was snoozed, and before the date. A decision does not end it, so that a
 * decision that is undone leaves the case as it was.
 */
export function snoozeEnd(
  {
    contentHash,
    snoozedContent,
    snoozedUntil,
    state,
  }: Pick<CaseRow, 'contentHash' | 'snoozedContent' | 'snoozedUntil' | 'state'>,
  now: number,
): number | undefined {
  if (snoozedUntil === undefined || snoozedUntil <= now) return undefined;
  return state === 'open' && snoozedContent === contentHash ? snoozedUntil : undefined;
}
