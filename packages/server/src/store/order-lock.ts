import { type Kysely, PostgresAdapter, sql } from 'kysely';
import { type Prepared, prepare } from './prepared.ts';
import type { Schema } from './schema.ts';

/**
 * Returns the statement after which the primes of an order are counted one after the other, until the
 * transaction ends. Under READ COMMITTED two of them would not see each other's attempt. SQLite has one
 * writer and needs none.
 */
export function orderLockOf(db: Kysely<Schema>): Prepared<{ name: string }, unknown> | undefined {
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return undefined;
  return prepare(({ name }) =>
    db.selectNoFrom(
      sql<null>`pg_advisory_xact_lock(hashtextextended(${sql.val(name)}, 0))`.as('locked'),
    ),
  );
}
