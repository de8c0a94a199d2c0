/** An order of which an amount is no whole number of minor units, or a sum could not be exact. */
export class InexactOrderError extends RangeError {
  override readonly name = 'InexactOrderError';
}

/** Past 2^53 a sum over orders would be rounded, and a cent is lost without a word. @throws {RangeError} */
export function exact(sum: number): number {
  if (Number.isSafeInteger(sum)) return sum;
  throw new RangeError('A sum over orders is too large to be exact: sum up fewer of them.');
}
