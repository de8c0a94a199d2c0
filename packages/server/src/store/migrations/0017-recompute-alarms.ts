import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What a check found and put right is to be told, also when whoever found it died before it could. */
export const recomputeAlarms: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('recomputes')
      .addColumn('unexplained', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
