import { toMajorUnits } from '@financing-checkout/contract';
import { z } from 'zod';

/** A decimal number in the major unit, as JSON number or text. */
export const wireAmountSchema = z.union([z.number(), z.string().max(40)]);

/** A decimal number as the service writes money: major units, exact (contract: MAX_MINOR_UNITS). */
export function wireAmount(value: number, currency: string): number {
  return Number(toMajorUnits({ value, currency }));
}
