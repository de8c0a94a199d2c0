import { z } from 'zod';
import { isCurrency, MAX_MINOR_UNITS } from './money.ts';

/** ISO 4217 code in use. */
export const currencySchema = z
  .string()
  .refine(isCurrency, { error: 'must be an ISO 4217 currency code in use, such as USD' });

/** Integer minor units, zero or more. */
export const minorUnitsSchema = z.int().min(0).max(MAX_MINOR_UNITS);

export const moneySchema = z.strictObject({
  value: z.int().min(-MAX_MINOR_UNITS).max(MAX_MINOR_UNITS),
  currency: currencySchema,
});
