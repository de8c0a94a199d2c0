/**
 * Thrown for an amount that is not a whole number of minor units, and for a sum that would not be
 * exact.
 */
export class InexactOrderError extends RangeError {
  override readonly name = 'InexactOrderError';
}

/**
 * Returns the sum if it is exact. Above 2^53, a sum would be rounded and silently lose cents.
 * @throws {RangeError}
 */
export function exact(sum: number): number {
  if (Number.isSafeInteger(sum)) return sum;
  throw new RangeError('A sum over orders is too large to be exact: sum up fewer of them.');
}
