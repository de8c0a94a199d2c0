import type { TransactionType } from '../charges/charge.ts';
import type { EnvironmentName } from '../environments/environment.ts';

/** A lender's transaction as the lender states it. Minor units, milliseconds. */
export interface LenderStatement {
  environment: EnvironmentName;
  fundedAt: number;
  updatedAt: number;
  lenderName: string;
  lenderReferenceId: string;
  transactionType: TransactionType;
  amount: number;
  discount: number;
  /** What the lender says it pays; null when that is `amount - discount`, as it should be. */
  net: number | null;
  currency: string;
  transactionId: string | null;
  merchantOrderId: string | null;
}

/** What a lender changes in a statement it made before. What is absent stays. */
export type StatementChange = Partial<Omit<LenderStatement, 'environment' | 'updatedAt'>>;

/** What the service knows of the charge, and perhaps the transaction, that a statement names. */
export interface KnownTransaction {
  /** Null when the statement names the charge alone. */
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
