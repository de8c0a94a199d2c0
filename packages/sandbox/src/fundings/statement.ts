import type { TransactionType } from '../charges/charge.ts';
import type { EnvironmentName } from '../environments/environment.ts';
import { lenderReferenceOf } from '../lenders/lenders.ts';

/**
 * A lender's transaction as the lender reports it. Amounts in minor units, times in milliseconds.
 */
export interface LenderStatement {
  environment: EnvironmentName;
  fundedAt: number;
  updatedAt: number;
  lenderName: string;
  lenderReferenceId: string;
  transactionType: TransactionType;
  amount: number;
  discount: number;
  /** The stated net amount; null when it is `amount - discount`, as it should be. */
  net: number | null;
  currency: string;
  transactionId: string | null;
  merchantOrderId: string | null;
}

/** A transaction that its lender reports. Amounts in minor units, times in milliseconds. */
export interface StatedTransaction extends Pick<
  LenderStatement,
  'environment' | 'amount' | 'discount' | 'currency' | 'lenderName'
> {
  id: string;
  type: TransactionType;
  fundAt: number;
  merchantOrderId: string;
}

/** Returns a lender's correct statement for a transaction. */
export function statementOf(transaction: StatedTransaction): LenderStatement {
  const { environment, id, type, fundAt, amount, discount, currency } = transaction;
  const { lenderName, merchantOrderId } = transaction;
  return {
    environment,
    lenderName,
    amount,
    discount,
    currency,
    merchantOrderId,
    fundedAt: fundAt,
    updatedAt: fundAt,
    lenderReferenceId: lenderReferenceOf(id),
    transactionType: type,
    net: null,
    transactionId: id,
  };
}

/** A lender's change to an earlier statement. Absent fields keep their values. */
export type StatementChange = Partial<Omit<LenderStatement, 'environment' | 'updatedAt'>>;

/** The charge that a statement names, and its transaction if the statement names one. */
export interface KnownTransaction {
  /** Null when the statement names only the charge. */
  transaction: {
    type: TransactionType;
    amount: number;
    createdAt: number;
    merchantTransactionId: string | null;
  } | null;
  chargeId: string;
  merchantOrderId: string;
  productType: string;
  promoCode: string | null;
  firstName: string | null;
  lastName: string | null;
  email: string | null;
}
