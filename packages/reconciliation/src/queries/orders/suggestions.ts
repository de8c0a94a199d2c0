import type { DuckDBConnection } from '../../platform/duckdb.ts';
import type { OrderStatusRecord } from '@financing-checkout/contract/reconciliation';
import {
  type OpenAmount,
  type Policy,
  type Suggestion,
  suggestionRange,
  suggestMatches,
} from '@financing-checkout/reconciliation-rules';
import type { LinesOfOrder } from './order-lines.ts';
import { select, text, whole } from '../basis/rows.ts';

/** A common price may have many candidates, so only the nearest in time are compared. */
const MAX_CANDIDATES = 200;

/**
 * Returns orders whose fundings may have been exchanged with those of this order.
 */
export async function suggestionsFor(
  connection: DuckDBConnection,
  status: OrderStatusRecord,
  lines: LinesOfOrder,
  policy: Pick<Policy, 'tolerance'>,
): Promise<Suggestion[]> {
  const open = openOf(status, lines);
  // Fundings of unknown currency cannot be compared.
  if (open === undefined || status.currency === '') return [];
  const range = suggestionRange(open.amount, policy);
  if (Math.abs(open.amount) <= range) return [];
  const [least, most] = [-open.amount - range, -open.amount + range];
  const times =
    most > 0
      ? `select order_key, currency, max(occurred_at) as at from ledger_lines
        where type = 'Settle' group by all`
      : `select order_key, currency, max(funded_at) as at from fundings
        where problem is null group by all`;
  const rows = await select(
    connection,
    `with candidates as (
      select order_key, currency, expected_settle - funded_settle as amount from order_statuses
      where currency = $currency and expected_settle <> funded_settle
        and expected_settle - funded_settle between $least::bigint and $most::bigint)
    select c.order_key, c.amount, t.at
    from candidates c
    join (${times.replace('group by all', 'and (order_key, currency) in (select (order_key, currency) from candidates) group by all')}) t
      on t.order_key = c.order_key and t.currency = c.currency
    order by abs(t.at - $near::bigint), c.order_key limit ${MAX_CANDIDATES}`,
    {
      currency: status.currency,
      least: BigInt(least),
      most: BigInt(most),
      near: BigInt(open.at),
    },
  );
  const candidates = rows.map((row): OpenAmount => ({
    orderKey: text(row.order_key),
    amount: whole(row.amount),
    at: whole(row.at),
  }));
  return suggestMatches(open, candidates, policy);
}

/** Returns the open amount of an order, with the date of the last line of the larger side. */
function openOf(
  { orderKey, expected, funded }: OrderStatusRecord,
  { ledger, fundings }: LinesOfOrder,
): OpenAmount | undefined {
  const amount = expected.settle - funded.settle;
  const times =
    amount > 0
      ? ledger.filter(({ type }) => type === 'Settle').map(({ occurredAt }) => occurredAt)
      : fundings.map(({ fundedAt }) => fundedAt);
  if (times.length === 0) return undefined;
  return { orderKey, amount, at: times.reduce((last, at) => Math.max(last, at)) };
}
