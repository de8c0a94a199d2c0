import { type Kysely, PostgresAdapter, sql } from 'kysely';
import type { BeginPrime } from '../idempotency.ts';
import { primeOf } from '../prime-budget.ts';
import type { Schema } from '../schema.ts';

/**
 * Makes the primes of an order count one after the other until the transaction ends. Under READ
 * COMMITTED two of them would not see each other's attempt. SQLite has one writer and needs no lock.
 */
export async function lockOrder(tx: Kysely<Schema>, order: BeginPrime['order']): Promise<void> {
  if (!(tx.getExecutor().adapter instanceof PostgresAdapter)) return;
  const name = `prime of ${primeOf(order)}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
}
