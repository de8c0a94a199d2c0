import type { FundingRecord } from './fundings.ts';
import { isObject, isSuccess, jsonOf, type Subject } from './subject.ts';
import type { Exchange } from './wire.ts';

/** The fields of a service transaction that a comparison needs. */
export interface KnownTransaction {
  type: unknown;
  amount: unknown;
}

/**
 * Looks up a transaction by the merchant's id.
 * Source: docs.chargeafter.com, Charge API, transactions/lookup.
 */
export function findTransaction(
  subject: Subject,
  merchantTransactionId: string,
): Promise<Exchange> {
  const query = new URLSearchParams({ merchantTransactionId }).toString();
  return subject.get(`/v2/post-sale/transactions/lookup?${query}`);
}

/** Returns the transaction of a record; undefined if the record names none or an unknown one. */
export async function lookUp(
  subject: Subject,
  { merchantTransactionId }: FundingRecord,
): Promise<KnownTransaction | undefined> {
  if (typeof merchantTransactionId !== 'string' || merchantTransactionId === '') return undefined;
  const exchange = await findTransaction(subject, merchantTransactionId);
  const body = isSuccess(exchange) ? jsonOf(exchange) : undefined;
  return isObject(body) ? { type: body.type, amount: body.amount } : undefined;
}
