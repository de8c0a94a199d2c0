import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Whether a pass looks for what nobody knew of: who helps in it, or ends it, raises the alarm too. */
export const recomputeChecks: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('recomputes')
      .addColumn('is_check', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
