import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** By how many of an import's lines fundings have been priced: they were once too few, and nobody knew. */
export const repricedLines: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('ledger_imports')
      .addColumn('repriced', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
