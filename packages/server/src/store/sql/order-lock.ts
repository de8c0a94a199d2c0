import { type Kysely, PostgresAdapter, sql } from 'kysely';
import { type OrderOf, primeOf } from '../prime-budget.ts';
import type { Schema } from '../schema.ts';

/**
 * Serializes the counting of an order's primes until the transaction ends. Under READ COMMITTED,
 * two concurrent primes would not see each other's attempt. SQLite has one writer and needs no
 * lock.
 */
export async function lockOrder(tx: Kysely<Schema>, order: OrderOf): Promise<void> {
  await lock(tx, 'order', `prime of ${primeOf(order)}`);
}

/**
 * Serializes the counting of a sender's or recipient's messages until the transaction ends. Each
 * transaction locks the order, then the recipient, then the sender, which prevents deadlocks.
 */
export async function lockMessages(
  tx: Kysely<Schema>,
  of: 'recipient' | 'sender',
  name: string,
): Promise<void> {
  await lock(tx, of, `messages of ${name}`);
}

/** Number of rows for each kind of lock. Two names that share a row merely wait for each other. */
const SLOTS = 1_024;
/** Each kind has its own rows, because names of two kinds in one row would break the lock order. */
const firstSlots = { order: 0, recipient: SLOTS, sender: 2 * SLOTS };

/**
 * Locks a row until the transaction ends; in some databases, an advisory lock covers only one
 * server. The update has no effect, so the row is locked but not written again.
 */
async function lock(tx: Kysely<Schema>, of: keyof typeof firstSlots, name: string): Promise<void> {
  if (!(tx.getExecutor().adapter instanceof PostgresAdapter)) return;
  await sql`
    insert into lock_rows (slot)
    select ${firstSlots[of]}::integer + (hash & ${SLOTS - 1}::bigint)::integer
      from (select hashtextextended(${name}, 0) as hash) as named
    on conflict (slot) do update set slot = excluded.slot where false`.execute(tx);
}
