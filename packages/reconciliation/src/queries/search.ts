import type { DuckDBConnection } from '../platform/duckdb.ts';
import type { SearchKind, SearchResult } from '@financing-checkout/contract';
import { foldId } from '../platform/fold-id.ts';
import { merchantOrderIdOf, orderKeyOf } from '../platform/order-key.ts';
import type { QueryContext } from './reliability.ts';
import { select, text } from './rows.ts';

type Match = SearchResult['matches'][number];

const LISTED = 20;
/** Sorts after every text with this prefix in code point order, which DuckDB uses. */
const LAST = '\u{10FFFF}';

/** Columns with IDs, by table. Each order with a line soon has a status. */
const places: readonly [kind: SearchKind, table: string, column: string][] = [
  ['order', 'order_statuses', 'order_key'],
  ['order', 'authorizations', 'order_key'],
  ['charge', 'authorizations', 'charge_id'],
  ['charge', 'ledger_lines', 'charge_id'],
  ['charge', 'fundings', 'charge_id'],
  ['transaction', 'ledger_lines', 'transaction_id'],
  ['transaction', 'fundings', 'transaction_id'],
  ['transaction', 'ledger_lines', 'merchant_transaction_id'],
  ['transaction', 'fundings', 'merchant_transaction_id'],
  ['transaction', 'authorizations', 'merchant_transaction_id'],
];

/**
 * Finds the orders of an ID, or of IDs with this prefix.
 * @param ordersOfApplication asks the companion @throws {CompanionError}
 */
export async function searchIds(
  ctx: QueryContext,
  query: string,
  ordersOfApplication: (applicationId: string) => Promise<readonly string[]>,
): Promise<SearchResult> {
  const id = foldId(query);
  const applications = ofApplication(id, ordersOfApplication);
  // Prevents an unhandled rejection if another step fails first.
  applications.catch(() => undefined);
  const found = await ctx.database.read((connection) => matchesOf(connection, id), ctx.signal);
  const ofCompanion = await applications;
  const unique = new Map(
    [...(ofCompanion ?? []), ...found].map((match) => [
      JSON.stringify([match.kind, match.value, match.orderKey]),
      match,
    ]),
  );
  return {
    matches: [...unique.values()].slice(0, LISTED),
    unavailable: ofCompanion === undefined ? ['companion'] : [],
  };
}

/**
 * Returns the first matches by kind and value. An exact match sorts first among those with its
 * prefix.
 */
async function matchesOf(connection: DuckDBConnection, id: string): Promise<Match[]> {
  const parts = places.map(([kind, table, column]) => {
    const range =
      kind === 'order'
        ? '$order_from::varchar and $order_to::varchar'
        : '$from::varchar and $to::varchar';
    // Duplicates are few, and finding them here would sort every match.
    return `(select '${kind}' as kind, ${column} as value, order_key from ${table}
      where ${column} between ${range} order by value limit ${2 * LISTED})`;
  });
  const rows = await select(
    connection,
    `select distinct kind, value, order_key, value in ($from, $order_from) as exact
    from (${parts.join(' union all ')})
    order by exact desc, case kind when 'order' then 0 when 'charge' then 1 else 2 end, value,
      order_key limit ${LISTED}`,
    { from: id, to: id + LAST, order_from: orderKeyOf(id), order_to: orderKeyOf(id + LAST) },
  );
  return rows.map((row) => {
    const kind = text(row.kind) as SearchKind;
    const orderKey = text(row.order_key);
    const value = text(row.value);
    return match(kind, kind === 'order' ? (merchantOrderIdOf(value) ?? value) : value, orderKey);
  });
}

/** Returns the orders of an application; undefined if the companion does not respond. */
async function ofApplication(
  id: string,
  ordersOfApplication: (applicationId: string) => Promise<readonly string[]>,
): Promise<Match[] | undefined> {
  try {
    const orders = await ordersOfApplication(id);
    return orders.map((order) => match('application', id, orderKeyOf(order)));
  } catch (error) {
    if (error instanceof Error && error.name === 'CompanionError') return undefined;
    throw error;
  }
}

function match(kind: SearchKind, value: string, orderKey: string): Match {
  const merchantOrderId = merchantOrderIdOf(orderKey);
  return { kind, value, orderKey, merchantOrderId };
}
