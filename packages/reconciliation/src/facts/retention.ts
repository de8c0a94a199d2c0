import type { FactStore, Fence } from './store.ts';

const DAY_MS = 86_400_000;
/** Longer than a year: a superseded version is there when the books of the year are closed. */
const RETENTION_DAYS = 400;

/**
 * Removes superseded contents that are older than a number of days. The current content of a day is
 * never removed.
 * @returns how many were removed @throws {LeaseLostError}
 */
export function removeOldContents(
  facts: Pick<FactStore, 'removeSuperseded'>,
  fence: Fence,
  now: number,
  days = RETENTION_DAYS,
): Promise<number> {
  return facts.removeSuperseded(fence, now - days * DAY_MS);
}
