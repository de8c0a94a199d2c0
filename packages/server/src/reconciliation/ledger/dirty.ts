import { type RawBuilder, sql, type Transaction } from 'kysely';
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
  const rows = [...new Set(orderKeys)].map((key) => [key]);
  await markDirtyOf(tx, environment, jsonRows(tx, [['order_key', 'text']], rows));
}

/**
 * As {@link markDirty}.
 * @param orders rows with an `order_key`, each another one
 */
export async function markDirtyOf(
  tx: Transaction<Schema>,
  environment: string,
  orders: RawBuilder<unknown>,
): Promise<void> {
  // In one order for all, so that two of them never wait for each other.
  await sql`
    insert into dirty_orders (environment, order_key, generation)
    select ${environment}, marked.order_key, 1 from ${orders} as marked
    where true order by 2
    on conflict (environment, order_key) do update set generation = dirty_orders.generation + 1
  `.execute(tx);
}
