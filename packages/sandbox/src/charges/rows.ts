import type { EnvironmentName } from '../environments/environment.ts';
import type {
  Charge,
  ChargeState,
  Transaction,
  TransactionState,
  TransactionType,
} from './charge.ts';

/** A row of `charges`. */
export interface ChargeRow {
  id: string;
  environment: EnvironmentName;
  application_id: string;
  merchant_order_id: string;
  state: ChargeState;
  currency: string;
  channel: string;
  store_id: string | null;
  settle_id: string | null;
  total: number;
  voided: number;
  settled: number;
  refunded: number;
  charged_back: number;
  reversed: number;
  lender_id: string;
  discount_basis_points: number;
  product_type: string;
  promo_code: string | null;
  tags: string;
  created_at: number;
  updated_at: number;
}

export function chargeFromRow(row: ChargeRow): Charge {
  return {
    id: row.id,
    environment: row.environment,
    applicationId: row.application_id,
    merchantOrderId: row.merchant_order_id,
    state: row.state,
    currency: row.currency,
    channel: row.channel,
    storeId: row.store_id,
    settleId: row.settle_id,
    total: row.total,
    voided: row.voided,
    settled: row.settled,
    refunded: row.refunded,
    chargedBack: row.charged_back,
    reversed: row.reversed,
    lenderId: row.lender_id,
    discountBasisPoints: row.discount_basis_points,
    productType: row.product_type,
    promoCode: row.promo_code,
    tags: JSON.parse(row.tags) as Record<string, string>,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** A row of `transactions`. */
export interface TransactionRow {
  id: string;
  environment: EnvironmentName;
  charge_id: string;
  type: TransactionType;
  state: TransactionState;
  amount: number;
  discount: number;
  merchant_transaction_id: string | null;
  reconciliation_id: string | null;
  created_at: number;
  fund_at: number | null;
}

export function transactionFromRow(row: TransactionRow): Transaction {
  return {
    id: row.id,
    environment: row.environment,
    chargeId: row.charge_id,
    type: row.type,
    state: row.state,
    amount: row.amount,
    discount: row.discount,
    merchantTransactionId: row.merchant_transaction_id,
    reconciliationId: row.reconciliation_id,
    createdAt: row.created_at,
    fundAt: row.fund_at,
  };
}
