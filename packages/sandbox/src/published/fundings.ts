import { z } from 'zod';
import { amount, dateTime, financialProductType, transactionType } from './values.ts';

/** One record. It has a lender's name, but no lender id and no currency. */
const fundingRecord = z.strictObject({
  productType: financialProductType.nullish(),
  promoCode: z.string().optional(),
  lenderReferenceId: z.string().optional(),
  merchantTransactionId: z.string().optional(),
  status: z.enum([
    'RECONCILED',
    'UNRECONCILED',
    'MISMATCHED',
    'TYPE_MISMATCH',
    'AMOUNT_MISMATCH',
    'ORIGINAL_TRANSACTION_MISSING',
    'MISSING',
    'CHARGEBACK',
  ]),
  fundedAt: dateTime,
  firstName: z.string().optional(),
  lastName: z.string().optional(),
  updatedAt: dateTime,
  email: z.string().optional(),
  lenderName: z.string(),
  discountAmount: amount,
  netAmount: amount,
  transactionAmount: amount,
  transactionType,
  transactionId: z.string().optional(),
  merchantOrderId: z.string().optional(),
  chargeId: z.string().optional(),
  transactionDate: dateTime.nullish(),
});

/**
 * GET /v2/post-sale/fundings/report; `records` is not required. Source: reference, Funding API. The
 * two records operations are not in the API definition; the specification gives them the same
 * shape.
 */
export const fundingReport = z.strictObject({ records: z.array(fundingRecord).optional() });
