import { toWireAmount } from '../money/money.ts';
import type { FundingRow } from './store.ts';
import { statusOf, type Vocabulary } from './verdict.ts';

/**
 * A funding as the wire has it. The two vocabularies differ in the status (specification 9) and in
 * the four fields that the records operations do not have.
 * Source: docs.chargeafter.com, Funding API.
 */
export function toRecord(row: FundingRow, vocabulary: Vocabulary): Record<string, unknown> {
  return {
    status: statusOf(row.verdict, vocabulary),
    fundedAt: new Date(row.funded_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
    lenderName: row.lender_name,
    transactionType: row.transaction_type,
    transactionAmount: toWireAmount(row.amount, row.currency),
    discountAmount: toWireAmount(row.discount, row.currency),
    netAmount: toWireAmount(row.amount - row.discount, row.currency),
    transactionDate:
      row.transaction_date === null ? null : new Date(row.transaction_date).toISOString(),
    ...present('transactionId', row.transaction_id),
    ...present('merchantOrderId', row.merchant_order_id),
    ...present('chargeId', row.charge_id),
    ...(vocabulary === 'report'
      ? {
          productType: row.product_type,
          ...present('promoCode', row.promo_code),
          ...present('lenderReferenceId', row.lender_reference_id),
          ...present('merchantTransactionId', row.merchant_transaction_id),
        }
      : {}),
    ...present('firstName', row.first_name),
    ...present('lastName', row.last_name),
    ...present('email', row.email),
  };
}

/** An optional field is left out, not sent as null. */
function present(name: string, value: string | null): Record<string, string> {
  return value === null || value === '' ? {} : { [name]: value };
}
