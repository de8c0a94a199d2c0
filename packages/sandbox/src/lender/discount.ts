import { divideHalfUp } from '../money/money.ts';

/**
 * The merchant discount of the part of a charge between `before` and `after` (both running totals,
 * minor units). Taking differences of rounded totals makes the parts sum to the discount of the
 * whole, however it is settled or refunded.
 */
export function discountBetween(before: number, after: number, basisPoints: number): number {
  return discountOf(after, basisPoints) - discountOf(before, basisPoints);
}

/** The merchant discount of a whole amount, minor units, rounded half up. */
export function discountOf(amount: number, basisPoints: number): number {
  return Number(divideHalfUp(BigInt(amount) * BigInt(basisPoints), 10_000n));
}
