import { z } from 'zod';
import { moneySchema } from '../storefront/money-schema.ts';

/**
 * A funding in the back-office API. Amounts are exact minor units. Names and email addresses of
 * consumers are not included.
 */
export const fundingSchema = z.object({
  status: z.string(),
  /** Settle, Refund, Chargeback, Reversal, …: an open list. */
  transactionType: z.string(),
  lenderName: z.string(),
  /**
   * Present and true if the currency is only the default, because the order is unknown or has
   * several currencies. Do not include such amounts in sums.
   */
  currencyAssumed: z.boolean().optional(),
  transactionAmount: moneySchema,
  /** The merchant discount (MDR) the lender keeps. */
  discountAmount: moneySchema,
  netAmount: moneySchema,
  /** ISO 8601, as the service sent it. */
  fundedAt: z.string(),
  updatedAt: z.string(),
  transactionDate: z.string().nullish(),
  transactionId: z.string().optional(),
  merchantTransactionId: z.string().optional(),
  merchantOrderId: z.string().optional(),
  chargeId: z.string().optional(),
  lenderReferenceId: z.string().optional(),
  productType: z.string().nullish(),
  promoCode: z.string().optional(),
});
export type Funding = z.infer<typeof fundingSchema>;

/** An unreadable record from the service; the reason names a field, never a value. */
export const unreadableFundingSchema = z.object({
  /** Index in the service's response, from 0. */
  at: z.int().min(0),
  merchantOrderId: z.string().optional(),
  reason: z.string(),
});
export type UnreadableFunding = z.infer<typeof unreadableFundingSchema>;

export const fundingsSchema = z.object({
  records: z.array(fundingSchema),
  /** The first hundred unreadable records, which `records` does not include. */
  unreadable: z.array(unreadableFundingSchema).optional(),
  /** Number of unreadable records. Absent when there are none. */
  unreadableCount: z.int().optional(),
});
