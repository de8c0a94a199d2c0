import { type Funding } from '@financing-checkout/contract/back-office';
import { fromMajorUnits, MoneyError } from '@financing-checkout/contract/money';
import { z } from 'zod';

const amount = z.union([z.number(), z.string().max(40)]);
const text = z.string().max(1_024);

/**
 * A record of any of the three operations (reference: Funding API). Unknown fields pass through.
 */
const recordSchema = z.looseObject({
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

/** An unreadable record. The message names a field and never its value. */
export class FundingRecordError extends Error {
  override readonly name = 'FundingRecordError';
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
 * Returns the record without personal data, and its amounts in exact minor units.
 * @throws {FundingRecordError}
 */
export function readFunding(record: unknown, currency: string): Funding {
  const { data, error } = recordSchema.safeParse(record);
  if (!data) {
    const field = error.issues[0]?.path[0];
    if (field === undefined) throw new FundingRecordError('it is not a record');
    throw new FundingRecordError(`${String(field)} is missing or has an invalid value`);
  }
  const units = (name: 'transactionAmount' | 'discountAmount' | 'netAmount') => {
    try {
      return fromMajorUnits(data[name], currency);
    } catch (thrown) {
      if (!(thrown instanceof MoneyError)) throw thrown;
      throw new FundingRecordError(`${name} does not fit ${currency} (${thrown.code})`);
    }
  };
  const funding: Funding = {
    status: data.status,
    transactionType: data.transactionType,
    lenderName: data.lenderName,
    transactionAmount: units('transactionAmount'),
    discountAmount: units('discountAmount'),
    netAmount: units('netAmount'),
    fundedAt: data.fundedAt,
    updatedAt: data.updatedAt,
  };
  if (data.transactionDate !== undefined) funding.transactionDate = data.transactionDate;
  if (data.productType !== undefined) funding.productType = data.productType;
  for (const name of optionalFields) {
    const value = data[name];
    if (typeof value === 'string') funding[name] = value;
  }
  return funding;
}

const MAX_ORDER_ID = 1_024;

/** Returns a record's order ID, without surrounding whitespace, as in the ledger. */
export function orderOf(record: unknown): string | undefined {
  if (typeof record !== 'object' || record === null) return undefined;
  const value = 'merchantOrderId' in record ? record.merchantOrderId : undefined;
  const id = typeof value === 'string' ? value.trim() : '';
  return id !== '' && id.length <= MAX_ORDER_ID && !id.includes('\0') ? id : undefined;
}

const errorFields = ['errors', 'Errors', 'message', 'Message', 'requestId', 'RequestId'];

/**
 * Returns a page's records, or undefined for a body that is not a page. `records` is optional
 * (reference: Funding API): a page without it is empty, unless it is an error body with a 2xx
 * status.
 */
export function recordsOfPage(bytes: Uint8Array): unknown[] | undefined {
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  const { records } = body as { records?: unknown };
  if (Array.isArray(records)) return records as unknown[];
  const isEmpty = records === undefined || records === null;
  return isEmpty && !errorFields.some((field) => field in body) ? [] : undefined;
}
