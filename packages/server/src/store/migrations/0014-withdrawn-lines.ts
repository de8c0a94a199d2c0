import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Lines that were imported by mistake are taken out of the books, and kept beside them. */
export const withdrawnLines: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('ledger_imports')
      .addColumn('action', 'text', (column) => column.notNull().defaultTo('add'))
      .execute();
    await db.schema
      .createTable('withdrawn_lines')
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('order_key', 'text', (column) => column.notNull())
      .addColumn('currency', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('merchant_order_id', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('amount', 'bigint', (column) => column.notNull())
      .addColumn('occurred_at', 'bigint', (column) => column.notNull())
      .addColumn('transaction_id', 'text')
      .addColumn('merchant_transaction_id', 'text')
      .addColumn('charge_id', 'text')
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('withdrawn_at', 'bigint', (column) => column.notNull())
      .addColumn('import_id', 'text', (column) => column.notNull())
      // One import takes a line away once; another one may have brought it again before.
      .addPrimaryKeyConstraint('withdrawn_lines_key', [
        'environment',
        'order_key',
        'id',
        'import_id',
      ])
      .execute();
  },
};
