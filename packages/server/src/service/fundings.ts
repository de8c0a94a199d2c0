import type { Funding } from '@financing-checkout/contract/back-office';
import { fromMajorUnits, MoneyError } from '@financing-checkout/contract/money';
import { z } from 'zod';
import { amountSchema } from './fields.ts';

const text = z.string().max(1024);

/**
 * A reconciliation record from the service (reference: Funding API). Unlisted fields are accepted;
 * {@link toFunding} drops personal data (names, email address).
 */
const fundingRecordSchema = z.looseObject({
  status: text,
  fundedAt: text,
  updatedAt: text,
  lenderName: text,
  transactionType: text,
  transactionAmount: amountSchema,
  discountAmount: amountSchema,
  netAmount: amountSchema,
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

/** Fields of an error body, in both published spellings. */
const errorFields = ['errors', 'Errors', 'message', 'Message', 'requestId', 'RequestId'];

/**
 * A page of unvalidated records. `records` is not required (reference: Funding API): a page without
 * that field is empty, unless the body is an error that was sent with a 2xx.
 */
export const fundingPageSchema = z
  .looseObject({ records: z.array(z.unknown()).nullish() })
  .refine((body) => Array.isArray(body.records) || !errorFields.some((field) => field in body))
  .transform(({ records }) => records ?? []);

/** An unreadable record. The message contains the field name and never the value. */
export class FundingRecordError extends Error {
  override readonly name = 'FundingRecordError';
}

/** @throws {FundingRecordError} */
export function readFundingRecord(record: unknown): FundingRecord {
  const { data, error } = fundingRecordSchema.safeParse(record);
  if (data) return data;
  const field = error.issues[0]?.path[0];
  if (field === undefined) throw new FundingRecordError('it is not an object');
  throw new FundingRecordError(`${String(field)} is missing or invalid`);
}

const optionalFields = [
  'transactionId',
  'merchantTransactionId',
  'merchantOrderId',
  'chargeId',
  'lenderReferenceId',
  'promoCode',
] as const;

/**
 * Returns a record without personal data and with exact amounts in minor units.
 * @throws {FundingRecordError} when an amount has more decimals than the currency
 */
export function toFunding(record: FundingRecord, currency: string): Funding {
  const amount = (name: 'transactionAmount' | 'discountAmount' | 'netAmount') => {
    try {
      return fromMajorUnits(record[name], currency);
    } catch (error) {
      if (!(error instanceof MoneyError)) throw error;
      throw new FundingRecordError(`${name} cannot be represented in ${currency} (${error.code})`);
    }
  };
  const funding: Funding = {
    status: record.status,
    transactionType: record.transactionType,
    lenderName: record.lenderName,
    transactionAmount: amount('transactionAmount'),
    discountAmount: amount('discountAmount'),
    netAmount: amount('netAmount'),
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
