import { type DuckDBValue, listValue } from '../platform/duckdb.ts';

/** Tables with a `key_hash` column. */
export const hashedTables = ['fundings', 'ledger_lines', 'order_statuses'] as const;
export type HashedTable = (typeof hashedTables)[number];

/** Maximum number of orders for which a search by hash is faster than by key. */
const MOST_HASHED = 30;

/**
 * Returns an SQL condition that selects the rows of orders, with its parameters. DuckDB finds an
 * order ten times as fast by its hash as by its key: all order keys begin with the same eight
 * bytes, and DuckDB's statistics contain only these bytes of a text, so a search by key
 * decompresses the keys of all rows. A search by hash reads four bytes of each row, and only the
 * keys of rows with that hash.
 * @param alias alias of the table in the statement
 */
export function isOfOrders(
  { table, alias = table }: { table: HashedTable; alias?: string },
  orderKeys: readonly string[],
): { condition: string; parameters: Record<string, DuckDBValue> } {
  const [orderKey] = orderKeys;
  // DuckDB cannot infer the type of an empty list.
  if (orderKey === undefined) return { condition: 'false', parameters: {} };
  if (orderKeys.length === 1) {
    return {
      condition: `${alias}.key_hash = hash_of_key($order_key) and ${alias}.order_key = $order_key`,
      parameters: { order_key: orderKey },
    };
  }
  const listed = 'select unnest($order_keys::varchar[])';
  const isListed = `${alias}.order_key in (${listed})`;
  // DuckDB reads all columns of each row before it compares a value with a list, unless the value
  // is rowid.
  const isHashed = `${alias}.rowid in (select rowid from ${table}
    where key_hash in (select hash_of_key(order_key) from (${listed}) t(order_key)))`;
  return {
    condition: orderKeys.length > MOST_HASHED ? isListed : `${isHashed} and ${isListed}`,
    parameters: { order_keys: listValue([...orderKeys]) },
  };
}
