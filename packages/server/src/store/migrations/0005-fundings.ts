import { type CreateTableBuilder, type Kysely, sql, SqliteAdapter } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What lenders posted, slice by slice, with the proof of each slice and the runs that made them. */
export const fundings: Migration = {
  async up(db: Kysely<unknown>) {
    await fundingTables(db);
    await progressTables(db);
    await db.schema
      .createTable('leases')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('holder', 'text', (column) => column.notNull())
      .addColumn('until', 'bigint', (column) => column.notNull())
      .execute();
    await inKeyOrder(
      db,
      db.schema
        .createTable('dirty_orders')
        .addColumn('environment', 'text', (column) => column.notNull())
        .addColumn('order_key', 'text', (column) => column.notNull())
        .addColumn('generation', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('dirty_orders_key', ['environment', 'order_key']),
    ).execute();
  },
};

/** Keeps the rows of a table in the order of its key, on SQLite; PostgreSQL has no such tables. */
function inKeyOrder<Name extends string, Column extends string>(
  db: Kysely<unknown>,
  table: CreateTableBuilder<Name, Column>,
): CreateTableBuilder<Name, Column> {
  return isSqlite(db) ? table.modifyEnd(sql`without rowid`) : table;
}

function isSqlite(db: Kysely<unknown>): boolean {
  return db.getExecutor().adapter instanceof SqliteAdapter;
}

async function fundingTables(db: Kysely<unknown>): Promise<void> {
  await inKeyOrder(
    db,
    db.schema
      .createTable('fundings')
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('order_key', 'text', (column) => column.notNull())
      .addColumn('currency', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('slice_day', 'text', (column) => column.notNull())
      .addColumn('merchant_order_id', 'text')
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('transaction_type', 'text', (column) => column.notNull())
      .addColumn('lender_name', 'text', (column) => column.notNull())
      .addColumn('transaction_amount', 'bigint', (column) => column.notNull())
      .addColumn('discount_amount', 'bigint', (column) => column.notNull())
      .addColumn('net_amount', 'bigint', (column) => column.notNull())
      .addColumn('funded_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addColumn('transaction_date', 'bigint')
      .addColumn('transaction_id', 'text')
      .addColumn('merchant_transaction_id', 'text')
      .addColumn('charge_id', 'text')
      .addColumn('lender_reference_id', 'text')
      .addColumn('product_type', 'text')
      .addColumn('promo_code', 'text')
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn('version', 'bigint', (column) => column.notNull())
      // By order first: that is how a recompute reads them.
      .addPrimaryKeyConstraint('fundings_key', ['environment', 'order_key', 'currency', 'id']),
  ).execute();
  // An id begins with the day of its slice: a slice is a range of this index, which on SQLite has
  // all that is compared with what the service says now.
  await db.schema
    .createIndex('fundings_by_id')
    .on('fundings')
    .columns(['environment', 'id', 'hash'])
    .execute();
  // On PostgreSQL how texts sort is up to the database, and a range of ids is not a day.
  if (!isSqlite(db)) {
    await db.schema
      .createIndex('fundings_by_day')
      .on('fundings')
      .columns(['environment', 'slice_day'])
      .execute();
  }
  // Beside the columns that are summed and compared: these are read one at a time, for a person.
  await inKeyOrder(
    db,
    db.schema
      .createTable('funding_records')
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('raw', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('funding_records_key', ['environment', 'id']),
  ).execute();
  await db.schema
    .createTable('funding_versions')
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('version', 'bigint', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('raw', 'text', (column) => column.notNull())
    .addColumn('slice_day', 'text', (column) => column.notNull())
    .addColumn('replaced_at', 'bigint', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('funding_versions_key', ['environment', 'id', 'version'])
    .execute();
  // Records that cannot be held as they are: listed, never guessed, never lost.
  await db.schema
    .createTable('funding_quarantine')
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('slice_day', 'text', (column) => column.notNull())
    .addColumn('order_key', 'text')
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('raw', 'text', (column) => column.notNull())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('funding_quarantine_key', ['environment', 'id'])
    .execute();
  await db.schema
    .createIndex('funding_quarantine_by_order')
    .on('funding_quarantine')
    .columns(['environment', 'order_key'])
    .execute();
}

async function progressTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('funding_slices')
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('run_id', 'text', (column) => column.notNull())
    .addColumn('passes', 'bigint', (column) => column.notNull())
    .addColumn('pages', 'bigint', (column) => column.notNull())
    .addColumn('overlap_rows', 'bigint', (column) => column.notNull())
    .addColumn('rows', 'bigint', (column) => column.notNull())
    .addColumn('changed', 'bigint', (column) => column.notNull())
    .addColumn('gone', 'bigint', (column) => column.notNull())
    .addColumn('quarantined', 'bigint', (column) => column.notNull())
    .addColumn('sums', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('zone', 'text', (column) => column.notNull())
    .addColumn('synced_at', 'bigint')
    .addPrimaryKeyConstraint('funding_slices_key', ['environment', 'day'])
    .execute();
  await db.schema
    .createTable('funding_runs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('from_day', 'text', (column) => column.notNull())
    .addColumn('to_day', 'text', (column) => column.notNull())
    .addColumn('zone', 'text', (column) => column.notNull())
    .addColumn('tiers', 'integer', (column) => column.notNull())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('resumed', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('slices_planned', 'bigint', (column) => column.notNull())
    .addColumn('slices_done', 'bigint', (column) => column.notNull())
    .addColumn('slices_unproven', 'bigint', (column) => column.notNull())
    .addColumn('rows', 'bigint', (column) => column.notNull())
    .addColumn('changed', 'bigint', (column) => column.notNull())
    .addColumn('gone', 'bigint', (column) => column.notNull())
    .addColumn('quarantined', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('funding_runs_by_age')
    .on('funding_runs')
    .columns(['environment', 'started_at', 'id'])
    .execute();
}
