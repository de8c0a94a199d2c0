import type { FactStore, Fence } from './store.ts';

const DAY_MS = 86_400_000;
/** More than a year: superseded versions exist when the accounts of the year are closed. */
const RETENTION_DAYS = 400;

/**
 * Removes superseded contents older than a number of days. The current content of a day always
 * stays.
 * @returns the number of removed contents @throws {LeaseLostError}
 */
export function removeOldContents(
  facts: Pick<FactStore, 'removeSuperseded'>,
  fence: Fence,
  now: number,
  days = RETENTION_DAYS,
): Promise<number> {
  return facts.removeSuperseded(fence, now - days * DAY_MS);
}
