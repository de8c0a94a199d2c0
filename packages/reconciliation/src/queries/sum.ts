/**
 * Adds to a sum over many orders. Past 2^53 it would be rounded, and a cent be lost without a word: from
 * then on it is null, so that what is counted beside it can still be told.
 */
export function added(sum: number | null, amount: number): number | null {
  const next = sum === null ? NaN : sum + amount;
  return Number.isSafeInteger(next) ? next : null;
}
