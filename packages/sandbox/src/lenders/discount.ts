import { divideHalfUp } from '../platform/money.ts';

/**
 * Returns the merchant discount for the part of a charge between two running totals, in minor
 * units. Because it is the difference of rounded totals, the parts of any split add up to the
 * discount of the whole.
 */
export function discountBetween(before: number, after: number, basisPoints: number): number {
  return discountOf(after, basisPoints) - discountOf(before, basisPoints);
}

/** Returns the merchant discount of a whole amount, in minor units, rounded half up. */
export function discountOf(amount: number, basisPoints: number): number {
  return Number(divideHalfUp(BigInt(amount) * BigInt(basisPoints), 10_000n));
}
