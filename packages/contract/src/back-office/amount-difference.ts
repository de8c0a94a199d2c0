import { z } from 'zod';
import { moneySchema } from '../storefront/money-schema.ts';

/**
 * Reasons why the total of a charge may differ from the total of the order.
 *
 * - `lease-to-own-sales-tax`: a lease-to-own lender buys the goods and charges the order without
 *   its sales tax (reference: Charge API, lease to own).
 */
export const amountDifferenceReasons = ['lease-to-own-sales-tax'] as const;

/** The other total if order and charge differ, and the reason. */
export const amountDifferenceSchema = z.object({
  amount: moneySchema,
  reason: z.enum(amountDifferenceReasons),
});
export type AmountDifference = z.infer<typeof amountDifferenceSchema>;
