import { type CreateTableBuilder, type Kysely, sql, SqliteAdapter } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What the merchant believes, and what became of each order by the arithmetic. */
export const orderStatuses: Migration = {
  async up(db: Kysely<unknown>) {
    await ledgerTables(db);
    await importTables(db);
    await statusTables(db);
    await recomputeTables(db);
  },
};

/**
 * Keeps the rows of a table in the order of its key: on SQLite they are then read order by order
 * without a look into another tree. PostgreSQL has no such tables, and no need.
 */
function inKeyOrder<Name extends string, Column extends string>(
  db: Kysely<unknown>,
  table: CreateTableBuilder<Name, Column>,
): CreateTableBuilder<Name, Column> {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  return isSqlite ? table.modifyEnd(sql`without rowid`) : table;
}

async function ledgerTables(db: Kysely<unknown>): Promise<void> {
  await inKeyOrder(
    db,
    db.schema
      .createTable('ledger_lines')
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
      // By order first: that is how a recompute reads them.
      .addPrimaryKeyConstraint('ledger_lines_key', ['environment', 'order_key', 'currency', 'id']),
  ).execute();
  await db.schema
    .createIndex('ledger_lines_by_id')
    .on('ledger_lines')
    .columns(['environment', 'id'])
    .unique()
    .execute();
  await db.schema
    .createTable('ledger_projections')
    .addColumn('environment', 'text', (column) => column.primaryKey())
    .addColumn('last_id', 'bigint', (column) => column.notNull())
    .execute();
}

/** A file is here, whole and checked, before its first line counts. One import at a time. */
async function importTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('ledger_imports')
    .addColumn('environment', 'text', (column) => column.primaryKey())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('lines', 'bigint', (column) => column.notNull())
    .addColumn('added', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('until', 'bigint', (column) => column.notNull())
    .addColumn('finished_at', 'bigint')
    .execute();
  await inKeyOrder(
    db,
    db.schema
      .createTable('ledger_import_lines')
      .addColumn('import_id', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('line', 'bigint', (column) => column.notNull())
      .addColumn('order_key', 'text', (column) => column.notNull())
      .addColumn('currency', 'text', (column) => column.notNull())
      .addColumn('merchant_order_id', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('amount', 'bigint', (column) => column.notNull())
      .addColumn('occurred_at', 'bigint', (column) => column.notNull())
      .addColumn('transaction_id', 'text')
      .addColumn('merchant_transaction_id', 'text')
      .addColumn('charge_id', 'text')
      .addPrimaryKeyConstraint('ledger_import_lines_key', ['import_id', 'id', 'line']),
  ).execute();
}

async function statusTables(db: Kysely<unknown>): Promise<void> {
  await inKeyOrder(
    db,
    db.schema
      .createTable('order_statuses')
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('order_key', 'text', (column) => column.notNull())
      .addColumn('currency', 'text', (column) => column.notNull())
      .addColumn('merchant_order_id', 'text')
      .addColumn('funding', 'text', (column) => column.notNull())
      .addColumn('returns', 'text', (column) => column.notNull())
      .addColumn('headline', 'text', (column) => column.notNull())
      .addColumn('expected_settle', 'bigint', (column) => column.notNull())
      .addColumn('expected_refund', 'bigint', (column) => column.notNull())
      .addColumn('funded_settle', 'bigint', (column) => column.notNull())
      .addColumn('funded_refund', 'bigint', (column) => column.notNull())
      .addColumn('funded_chargeback', 'bigint', (column) => column.notNull())
      .addColumn('funded_reversal', 'bigint', (column) => column.notNull())
      .addColumn('discount', 'bigint', (column) => column.notNull())
      .addColumn('net', 'bigint', (column) => column.notNull())
      .addColumn('awaiting', 'bigint', (column) => column.notNull())
      .addColumn('recheck_at', 'bigint')
      .addColumn('lines_hash', 'text', (column) => column.notNull())
      .addColumn('computed_at', 'bigint', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('order_statuses_key', ['environment', 'order_key', 'currency']),
  ).execute();
  // Those that time alone may change; most have no such moment, and are not in it.
  await db.schema
    .createIndex('order_statuses_due')
    .on('order_statuses')
    .columns(['environment', 'recheck_at'])
    .where(sql.ref('recheck_at'), 'is not', null)
    .execute();
  await inKeyOrder(
    db,
    db.schema
      .createTable('order_exceptions')
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('order_key', 'text', (column) => column.notNull())
      .addColumn('currency', 'text', (column) => column.notNull())
      .addColumn('code', 'text', (column) => column.notNull())
      .addColumn('amount', 'bigint', (column) => column.notNull())
      .addColumn('count', 'bigint', (column) => column.notNull())
      .addColumn('since', 'bigint', (column) => column.notNull())
      .addColumn('content_hash', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('order_exceptions_key', [
        'environment',
        'order_key',
        'currency',
        'code',
      ]),
  ).execute();
}

async function recomputeTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('recomputes')
    .addColumn('environment', 'text', (column) => column.primaryKey())
    .addColumn('run', 'text', (column) => column.notNull())
    .addColumn('rules', 'text', (column) => column.notNull())
    .addColumn('complete', 'integer', (column) => column.notNull())
    .addColumn('now', 'bigint', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('finished_at', 'bigint')
    .execute();
  await db.schema
    .createTable('recompute_ranges')
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('run', 'text', (column) => column.notNull())
    .addColumn('ordinal', 'integer', (column) => column.notNull())
    .addColumn('after_key', 'text', (column) => column.notNull())
    .addColumn('last_key', 'text')
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('holder', 'text')
    .addColumn('until', 'bigint', (column) => column.notNull())
    .addColumn('orders', 'bigint', (column) => column.notNull())
    .addColumn('changed', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('recompute_ranges_key', ['environment', 'run', 'ordinal'])
    .execute();
}
