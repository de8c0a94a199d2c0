import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the rows that transactions lock to count primes and messages one at a time. */
export const lockRows: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('lock_rows')
      .addColumn('slot', 'integer', (column) => column.primaryKey())
      .execute();
  },
};
