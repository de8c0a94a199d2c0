import type { FactStore, Fence } from './store.ts';

const DAY_MS = 86_400_000;
/**
 * More than a year, so that superseded versions still exist when the annual accounts are closed.
 */
const RETENTION_DAYS = 400;

/**
 * Removes superseded contents older than the given number of days. A day's current content always
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
