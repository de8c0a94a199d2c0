import type { Policy } from '@financing-checkout/reconciliation';
import type { BulkConnection } from './bulk.ts';
import type { PaidOrder } from './paid-order.ts';
import type { Scope } from './scope.ts';
import { surveyInDatabase } from './survey-in-database.ts';
import { surveyHere } from './survey-here.ts';

/** An order in one currency. */
export interface OrderPlace {
  orderKey: string;
  currency: string;
}

/** What a pass has to do in a scope. */
export interface Survey {
  /** Paid in full, and without a status yet or with another one. */
  paid: PaidOrder[];
  /**
   * All others but those that are paid in full and stand so: to be judged line by line. Some have no
   * lines any more, and a status.
   */
  others: OrderPlace[];
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
