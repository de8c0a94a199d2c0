import type { Policy } from '@financing-checkout/reconciliation-rules';
import type { BulkConnection } from './bulk.ts';
import { placeKey } from './lines.ts';
import type { PaidOrder } from './paid-order.ts';
import { from, type Scope, within } from './scope.ts';
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
export async function surveyOrders(
  bulk: BulkConnection,
  scope: Scope,
  policy: Policy,
): Promise<Survey> {
  const survey = await (bulk.kind === 'sqlite' ? surveyHere : surveyInDatabase)(
    bulk,
    scope,
    policy,
  );
  const strays = await strayExceptions(bulk, scope);
  if (strays.length === 0) return survey;
  const paid = new Map(survey.paid.map((order) => [placeKey(order), order]));
  for (const place of strays) {
    const order = paid.get(placeKey(place));
    if (order) order.stood = true;
    else survey.others.push(place);
  }
  return survey;
}

/** Of exceptions whose order stands as one that has none, or does not stand: nobody wrote them so. */
async function strayExceptions(bulk: BulkConnection, scope: Scope): Promise<OrderPlace[]> {
  const standing = within('s', scope);
  const statuses = `left join order_statuses s on s.environment = e.environment and ${standing.sql}
    and s.order_key = e.order_key and s.currency = e.currency`;
  const { sql, parameters } = from('order_exceptions', 'e', scope, statuses);
  const rows = await bulk.rows(
    `select distinct e.order_key, e.currency ${sql} and coalesce(s.lines_hash, '') = ''`,
    [...standing.parameters, ...parameters],
  );
  return rows.map(([orderKey, currency]) => ({
    orderKey: String(orderKey),
    currency: String(currency),
  }));
}
