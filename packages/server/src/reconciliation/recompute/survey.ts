import type { Policy } from '@financing-checkout/reconciliation';
import type { BulkConnection } from './bulk.ts';
import type { Scope } from './scope.ts';
import { surveyInDatabase } from './survey-in-database.ts';
import { surveyHere } from './survey-here.ts';

/** An order in one currency. */
export interface OrderPlace {
  orderKey: string;
  currency: string;
}

/** An order that is paid in full, as agreed, and reconciled. Minor units. */
export interface PaidOrder extends OrderPlace {
  merchantOrderId: string | null;
  /** Settled and funded; refunded and taken. */
  settle: number;
  refund: number;
  discount: number;
  net: number;
}

/** What a pass has to do in a scope. */
export interface Survey {
  /** Paid in full, and without a status yet. */
  paid: PaidOrder[];
  /** All others but those that are paid in full and stand so: to be judged line by line. */
  others: OrderPlace[];
  /** Orders with a status and no lines any more. */
  gone: OrderPlace[];
}

/**
 * Tells the plainest orders, which most are, from all others: the rules know their status at a
 * glance. Fundings whose currency is not known are in no order. What SQLite reads is in this
 * process already, and comparing it here is fastest; PostgreSQL compares where the rows are. Both
 * are held to the rules, and to one another, by a test.
 */
export function surveyOrders(bulk: BulkConnection, scope: Scope, policy: Policy): Promise<Survey> {
  return (bulk.kind === 'sqlite' ? surveyHere : surveyInDatabase)(bulk, scope, policy);
}
