import { z } from 'zod';
import { moneySchema } from './money-schema.ts';

/**
 * One funding as the back-office API gives it. Amounts are exact minor units; names and e-mails of
 * consumers are not in it.
 */
export const fundingSchema = z.object({
  status: z.string(),
  /** Settle, Refund, Chargeback, Reversal, …: open. */
  transactionType: z.string(),
  lenderName: z.string(),
  /**
   * There and true: the currency is the default one, because the order is not known here, or is in several
   * currencies. The amounts belong in no sum.
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

/** A record of the service that cannot be read; its reason names a field, and never a value. */
export const unreadableFundingSchema = z.object({
  /** Which one it is of the service's answer, from 0. */
  at: z.int().min(0),
  merchantOrderId: z.string().optional(),
  reason: z.string(),
});
export type UnreadableFunding = z.infer<typeof unreadableFundingSchema>;

export const fundingsSchema = z.object({
  records: z.array(fundingSchema),
  /** The first hundred that cannot be read, and are not among the records. */
  unreadable: z.array(unreadableFundingSchema).optional(),
  /** All of them. Left out when there is none. */
  unreadableCount: z.int().optional(),
});
