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
  /** The stated net amount; null when it is `amount - discount`, as it should be. */
  net: number | null;
  currency: string;
  transactionId: string | null;
  merchantOrderId: string | null;
}

/** A lender's change to an earlier statement. Absent fields stay. */
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
