import { listValue } from '../platform/duckdb.ts';
import type { QueryContext } from './reliability.ts';
import { select, text } from './rows.ts';

/** Returns the order keys of charges, keyed by charge ID. Unknown IDs are omitted. */
export async function ordersOfCharges(
  { database, signal }: Pick<QueryContext, 'database' | 'signal'>,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return new Map();
  const rows = await database.read(
    (connection) =>
      select(
        connection,
        `select charge_id, min(order_key) as order_key from (
          select charge_id, order_key from ledger_lines
          where charge_id in (select unnest($ids::varchar[]))
          union all
          select charge_id, order_key from authorizations
          where charge_id in (select unnest($ids::varchar[]))
          union all
          select charge_id, order_key from fundings
          where charge_id in (select unnest($ids::varchar[])))
        where order_key is not null group by charge_id`,
        { ids: listValue(wanted) },
      ),
    signal,
  );
  return new Map(rows.map((row) => [text(row.charge_id), text(row.order_key)]));
}
