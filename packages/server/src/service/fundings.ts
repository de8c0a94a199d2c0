import type { Funding } from '@financing-checkout/contract';
import { fromMajorUnits, MoneyError } from '@financing-checkout/contract';
import { z } from 'zod';
import { recordsOfPage } from './funding-page.ts';

const amount = z.union([z.number(), z.string().max(40)]);
const text = z.string().max(1024);

/**
 * A reconciliation record as the service sends it (reference: Funding API). Loose: what is not
 * listed passes; what is not handed on (names, e-mail) ends in {@link toFunding}.
 */
const fundingRecordSchema = z.looseObject({
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

/** A page of records, each still to be read. */
export const fundingPageSchema = z.unknown().transform((body, context) => {
  const records = recordsOfPage(body);
  if (records !== undefined) return records;
  context.addIssue({ code: 'custom', message: 'is no page of records' });
  return z.NEVER;
});

/** A record that cannot be read. Its message names a field, and never its value. */
export class FundingRecordError extends Error {
  override readonly name = 'FundingRecordError';
}

/** @throws {FundingRecordError} */
export function readFundingRecord(record: unknown): FundingRecord {
  const { data, error } = fundingRecordSchema.safeParse(record);
  if (data) return data;
  const field = error.issues[0]?.path[0];
  if (field === undefined) throw new FundingRecordError('it is no record');
  throw new FundingRecordError(`${String(field)} is missing, or is no value that it may have`);
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
 * The record without anything personal, its amounts exact in minor units.
 * @throws {FundingRecordError} when an amount has more decimals than the currency
 */
export function toFunding(record: FundingRecord, currency: string): Funding {
  const amount = (name: 'transactionAmount' | 'discountAmount' | 'netAmount') => {
    try {
      return fromMajorUnits(record[name], currency);
    } catch (error) {
      if (!(error instanceof MoneyError)) throw error;
      throw new FundingRecordError(`${name} cannot be held in ${currency} (${error.code})`);
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
