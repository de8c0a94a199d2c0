import type { Funding } from '@financing-checkout/contract';
import { fromMajorUnits } from '@financing-checkout/contract';
import { z } from 'zod';

const amount = z.union([z.number(), z.string().max(40)]);
const text = z.string().max(1024);

/**
 * A reconciliation record as the service sends it (reference: Funding API). Loose: what is not
 * listed passes; what is not handed on (names, e-mail) ends in {@link toFunding}.
 */
export const fundingRecordSchema = z.looseObject({
  status: text,
  fundedAt: text,
  updatedAt: text,
  lenderName: text,
  transactionType: text,
  transactionAmount: amount,
  discountAmount: amount,
  netAmount: amount,
  transactionDate: text.nullish(),
  productType: text.nullish(),
  transactionId: text.nullish(),
  merchantTransactionId: text.nullish(),
  merchantOrderId: text.nullish(),
  chargeId: text.nullish(),
  lenderReferenceId: text.nullish(),
  promoCode: text.nullish(),
});
export type FundingRecord = z.infer<typeof fundingRecordSchema>;

export const fundingPageSchema = z.looseObject({ records: z.array(fundingRecordSchema) });

const optionalFields = [
  'transactionId',
  'merchantTransactionId',
  'merchantOrderId',
  'chargeId',
  'lenderReferenceId',
  'promoCode',
] as const;

/**
 * The record without anything personal, its amounts exact in minor units.
 * @throws {MoneyError} when an amount has more decimals than the currency
 */
export function toFunding(record: FundingRecord, currency: string): Funding {
  const funding: Funding = {
    status: record.status,
    transactionType: record.transactionType,
    lenderName: record.lenderName,
    transactionAmount: fromMajorUnits(record.transactionAmount, currency),
    discountAmount: fromMajorUnits(record.discountAmount, currency),
    netAmount: fromMajorUnits(record.netAmount, currency),
    fundedAt: record.fundedAt,
    updatedAt: record.updatedAt,
  };
  if (record.transactionDate !== undefined) funding.transactionDate = record.transactionDate;
  if (record.productType !== undefined) funding.productType = record.productType;
  for (const name of optionalFields) {
    const value = record[name];
    if (typeof value === 'string') funding[name] = value;
  }
  return funding;
}
