import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the history of the database server, and the records that a promotion has lost. */
export const lostRecords: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('server_history')
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('cluster', 'text', (column) => column.notNull())
      .addColumn('timeline', 'bigint', (column) => column.notNull())
      .addColumn('seen_at', 'bigint', (column) => column.notNull())
      .addColumn('changed_at', 'bigint')
      .execute();
    await db.schema
      .createTable('lost_records')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('merchant_order_id', 'text', (column) => column.notNull())
      .addColumn('charge_id', 'text', (column) => column.notNull())
      .addColumn('found_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
