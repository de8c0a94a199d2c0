import { type Kysely, PostgresAdapter, sql } from 'kysely';
import { primeOf } from '../prime-budget.ts';
import type { OrderOf } from '../prime-claim.ts';
import type { Schema } from '../schema.ts';

/**
 * Serializes the counting of an order's primes until the transaction ends. Under READ COMMITTED,
 * two concurrent primes would not see each other's attempt. SQLite has one writer and needs no
 * lock.
 */
export async function lockOrder(tx: Kysely<Schema>, order: OrderOf): Promise<void> {
  await lock(tx, `prime of ${primeOf(order)}`);
}

/**
 * Serializes the counting of a sender's or recipient's messages until the transaction ends. Each
 * transaction locks the order, then the recipient, then the sender, which prevents deadlocks.
 */
export async function lockMessages(tx: Kysely<Schema>, name: string): Promise<void> {
  await lock(tx, `messages of ${name}`);
}

async function lock(tx: Kysely<Schema>, name: string): Promise<void> {
  if (!(tx.getExecutor().adapter instanceof PostgresAdapter)) return;
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
}
