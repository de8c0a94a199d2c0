import type { FundingRecord } from './fundings.ts';
import { isObject, isSuccess, jsonOf, type Subject } from './subject.ts';

/** The service's own transaction, as far as a comparison needs it. */
export interface KnownTransaction {
  type: unknown;
  amount: unknown;
}

/**
 * The service's own transaction that a record names by the merchant's id.
 * Source: docs.chargeafter.com, Charge API, transactions/lookup.
 * @returns undefined when the record names none, or the service does not know it
 */
export async function lookUp(
  subject: Subject,
  { merchantTransactionId }: FundingRecord,
): Promise<KnownTransaction | undefined> {
  if (typeof merchantTransactionId !== 'string' || merchantTransactionId === '') return undefined;
  const query = new URLSearchParams({ merchantTransactionId }).toString();
  const exchange = await subject.get(`/v2/post-sale/transactions/lookup?${query}`);
  const body = isSuccess(exchange) ? jsonOf(exchange) : undefined;
  return isObject(body) ? { type: body.type, amount: body.amount } : undefined;
}
