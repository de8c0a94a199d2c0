/**
 * Adds to a sum over many orders. Beyond 2^53 it would be rounded and silently lose cents, so it
 * becomes null; the counts next to it remain valid.
 */
export function added(sum: number | null, amount: number): number | null {
  const next = sum === null ? NaN : sum + amount;
  return Number.isSafeInteger(next) ? next : null;
}
