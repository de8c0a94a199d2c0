import { sql, type Transaction } from 'kysely';
import type { Schema } from '../../store/schema.ts';
import { jsonRows } from './json-rows.ts';

/**
 * Says that lines of these orders have changed, in the transaction that changes them. A mark that
 * is there already is counted up and not left as it is: who takes it away at the same time has to
 * wait for this transaction, and then sees its lines.
 */
export async function markDirty(
  tx: Transaction<Schema>,
  environment: string,
  orderKeys: readonly string[],
): Promise<void> {
  if (orderKeys.length === 0) return;
  // In one order for all, so that two of them never wait for each other.
  const rows = [...new Set(orderKeys)].sort().map((key) => [key]);
  await sql`
    insert into dirty_orders (environment, order_key, generation)
    select ${environment}, marked.order_key, 1
    from ${jsonRows(tx, [['order_key', 'text']], rows)} as marked
    where true
    on conflict (environment, order_key) do update set generation = dirty_orders.generation + 1
  `.execute(tx);
}
