import type { TransactionType } from '../charges/charge.ts';
import type { EnvironmentName } from '../environments/environment.ts';
import type { KnownTransaction, LenderStatement } from './statement.ts';
import { isHidden, verdictOf, type Verdict } from './verdict.ts';

/** A funding: the lender's statement, what it was matched with, and the verdict. */
export interface FundingRow {
  seq: number;
  environment: EnvironmentName;
  verdict: Verdict;
  funded_at: number;
  updated_at: number;
  lender_name: string;
  lender_reference_id: string;
  transaction_type: TransactionType;
  amount: number;
  discount: number;
  net: number | null;
  currency: string;
  transaction_id: string | null;
  transaction_date: number | null;
  merchant_transaction_id: string | null;
  merchant_order_id: string | null;
  charge_id: string | null;
  product_type: string | null;
  promo_code: string | null;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
}

/** The columns of `fundings` but its number. */
export const columns = [
  'environment',
  'verdict',
  'hidden',
  'funded_at',
  'updated_at',
  'lender_name',
  'lender_reference_id',
  'transaction_type',
  'amount',
  'discount',
  'net',
  'currency',
  'transaction_id',
  'transaction_date',
  'merchant_transaction_id',
  'merchant_order_id',
  'charge_id',
  'product_type',
  'promo_code',
  'first_name',
  'last_name',
  'email',
];

/** A row of `fundings` without its number, in the order of {@link columns}. */
export function valuesOf(statement: LenderStatement, known: KnownTransaction | undefined) {
  const { transaction = null } = known ?? {};
  const verdict = verdictOf({
    funding: statement,
    transaction: transaction ?? undefined,
    chargeKnown: known !== undefined,
  });
  return [
    statement.environment,
    verdict,
    isHidden(verdict) ? 1 : 0,
    statement.fundedAt,
    statement.updatedAt,
    statement.lenderName,
    statement.lenderReferenceId,
    statement.transactionType,
    statement.amount,
    statement.discount,
    statement.net,
    statement.currency,
    statement.transactionId,
    transaction?.createdAt ?? null,
    transaction?.merchantTransactionId ?? null,
    known?.merchantOrderId ?? statement.merchantOrderId,
    known?.chargeId ?? null,
    known?.productType ?? null,
    known?.promoCode ?? null,
    known?.firstName ?? null,
    known?.lastName ?? null,
    known?.email ?? null,
  ];
}

/** What the lender states, as it was stored. */
export function statementOf(row: FundingRow): LenderStatement {
  return {
    environment: row.environment,
    fundedAt: row.funded_at,
    updatedAt: row.updated_at,
    lenderName: row.lender_name,
    lenderReferenceId: row.lender_reference_id,
    transactionType: row.transaction_type,
    amount: row.amount,
    discount: row.discount,
    net: row.net,
    currency: row.currency,
    transactionId: row.transaction_id,
    merchantOrderId: row.merchant_order_id,
  };
}
