import { divideHalfUp } from '../platform/money.ts';

/**
 * Returns the merchant discount of the part of a charge between two running totals, in minor units. The
 * difference of rounded totals makes the parts add up to the discount of the whole, in any split.
 */
export function discountBetween(before: number, after: number, basisPoints: number): number {
  return discountOf(after, basisPoints) - discountOf(before, basisPoints);
}

/** Returns the merchant discount of a whole amount, in minor units, rounded half up. */
export function discountOf(amount: number, basisPoints: number): number {
  return Number(divideHalfUp(BigInt(amount) * BigInt(basisPoints), 10_000n));
}
