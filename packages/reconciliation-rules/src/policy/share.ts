import type { Policy } from '../order/lines.ts';

/**
 * One whole in parts per million, the unit of rates: a rate in basis points has at most two
 * decimals.
 */
export const WHOLE_PPM = 1_000_000;

/** Returns the tolerated residual of an order that expects `expected` minor units. */
export function toleranceOf(expected: number, { tolerance }: Pick<Policy, 'tolerance'>): number {
  if (tolerance.basisPoints === 0) return tolerance.minorUnits;
  return Math.max(tolerance.minorUnits, share(expected, tolerance.basisPoints, 'down'));
}

/** Converts a rate to the integer used in all arithmetic: 287.5 basis points are 28,750 ppm. */
export function ppmOf(basisPoints: number): number {
  return Math.round(basisPoints * 100);
}

/** Returns a share of an amount in whole minor units, rounded down or half up. */
export function share(amount: number, basisPoints: number, rounding: 'down' | 'half-up'): number {
  const ppm = ppmOf(basisPoints);
  const added = rounding === 'down' ? 0 : WHOLE_PPM / 2;
  const product = amount * ppm + added;
  if (Number.isSafeInteger(product)) return Math.floor(product / WHOLE_PPM);
  const exact = BigInt(amount) * BigInt(ppm) + BigInt(added);
  const unit = BigInt(WHOLE_PPM);
  const whole = exact / unit;
  return Number(exact < 0n && whole * unit !== exact ? whole - 1n : whole);
}
