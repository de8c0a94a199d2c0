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

export const fundingsSchema = z.object({ records: z.array(fundingSchema) });
