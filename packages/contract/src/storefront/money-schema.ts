import { z } from 'zod';
import { currencies, isCurrency, MAX_MINOR_UNITS } from '../money/money.ts';

/** ISO 4217 code of a currency in use. */
export const currencySchema = z
  .string()
  .refine(isCurrency, { error: 'must be an ISO 4217 currency code in use, such as USD' });

/** Integer minor units, zero or more. */
export const minorUnitsSchema = z.int().min(0).max(MAX_MINOR_UNITS);

/**
 * ISO 4217 code of a recorded amount, which may be in a withdrawn currency. New amounts need a currency
 * in use: {@link currencySchema}.
 */
export const recordedCurrencySchema = z
  .string()
  .refine((code) => currencies.has(code), { error: 'must be an ISO 4217 currency code' });

export const moneySchema = z.strictObject({
  value: z.int().min(-MAX_MINOR_UNITS).max(MAX_MINOR_UNITS),
  currency: recordedCurrencySchema,
});
