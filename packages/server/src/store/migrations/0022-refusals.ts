import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Why requests were refused before an attempt at the service, for `explain`. */
export const refusals: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('refusals')
      .addColumn('request_id', 'text', (column) => column.primaryKey())
      .addColumn('code', 'text', (column) => column.notNull())
      .addColumn('detail', 'text', (column) => column.notNull())
      .addColumn('refused_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('refusals_by_time').on('refusals').column('refused_at').execute();
  },
};
