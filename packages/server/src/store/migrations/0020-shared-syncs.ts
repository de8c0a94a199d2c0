import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Parts of the sync that is under way, which companions on one PostgreSQL take by lease. */
export const sharedSyncs: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('funding_shares')
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('plan', 'text', (column) => column.notNull())
      .addColumn('ordinal', 'integer', (column) => column.notNull())
      .addColumn('run_id', 'text', (column) => column.notNull())
      .addColumn('leader', 'text', (column) => column.notNull())
      .addColumn('days', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('holder', 'text')
      .addColumn('until', 'bigint', (column) => column.notNull())
      .addColumn('slices_done', 'bigint', (column) => column.notNull())
      .addColumn('slices_unproven', 'bigint', (column) => column.notNull())
      .addColumn('rows', 'bigint', (column) => column.notNull())
      .addColumn('changed', 'bigint', (column) => column.notNull())
      .addColumn('gone', 'bigint', (column) => column.notNull())
      .addColumn('quarantined', 'bigint', (column) => column.notNull())
      .addColumn('findings', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('funding_shares_key', ['environment', 'plan', 'ordinal'])
      .execute();
  },
};
