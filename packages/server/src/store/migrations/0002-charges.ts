import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Operations on charges, the ledger, notifications, and what a changed order is known by. */
export const charges: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('checkouts').addColumn('order_hash', 'text').execute();
    await db.schema.alterTable('checkouts').addColumn('ticket_hash', 'text').execute();
    await db.schema.alterTable('checkouts').addColumn('order_changed', 'integer').execute();
    await db.schema
      .createIndex('checkouts_by_application')
      .on('checkouts')
      .column('application_id')
      .execute();
    await db.schema
      .createIndex('checkouts_by_charge')
      .on('checkouts')
      .column('charge_id')
      .execute();
    await chargeTables(db);
    await ledgerTables(db);
    await db.schema
      .createTable('notifications')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('event', 'text', (column) => column.notNull())
      .addColumn('application_id', 'text', (column) => column.notNull())
      .addColumn('confirmation_token', 'text')
      .addColumn('received_at', 'bigint', (column) => column.notNull())
      .addColumn('attention_at', 'bigint')
      .addColumn('tries', 'integer', (column) => column.notNull())
      .addColumn('handled_at', 'bigint')
      .addColumn('outcome', 'text')
      .execute();
    await db.schema
      .createIndex('notifications_due')
      .on('notifications')
      .column('attention_at')
      .execute();
    await db.schema
      .createIndex('notifications_handled')
      .on('notifications')
      .column('handled_at')
      .execute();
    await db.schema
      .createTable('ticket_uses')
      .addColumn('ticket_id', 'text', (column) => column.primaryKey())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('claimed_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('outbox_by_age')
      .on('outbox')
      .columns(['created_at', 'id'])
      .execute();
  },
};

async function chargeTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('charge_turns')
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('charge_id', 'text', (column) => column.notNull())
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addColumn('operation_id', 'text')
    .addPrimaryKeyConstraint('charge_turns_key', ['environment', 'charge_id'])
    .execute();
  await db.schema
    .createTable('charge_operations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('charge_id', 'text', (column) => column.notNull())
    .addColumn('merchant_order_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('amount', 'bigint')
    .addColumn('currency', 'text')
    .addColumn('merchant_transaction_id', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull().unique())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('progress_before', 'bigint', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('transaction_id', 'text')
    .addColumn('service_request_id', 'text')
    .addColumn('reason', 'text')
    .addColumn('problem', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('sent_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('attention_at', 'bigint')
    .addColumn('attention_tries', 'integer', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('charge_operations_by_charge')
    .on('charge_operations')
    .columns(['charge_id', 'created_at'])
    .execute();
  await db.schema
    .createIndex('charge_operations_due')
    .on('charge_operations')
    .column('attention_at')
    .execute();
}

async function ledgerTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('ledger')
    .addColumn('id', 'bigint', (column) => column.primaryKey())
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('merchant_order_id', 'text', (column) => column.notNull())
    .addColumn('charge_id', 'text')
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('amount', 'bigint')
    .addColumn('currency', 'text')
    .addColumn('merchant_transaction_id', 'text', (column) => column.notNull())
    .addColumn('transaction_id', 'text')
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('occurred_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('ledger_by_order')
    .on('ledger')
    .columns(['merchant_order_id', 'id'])
    .execute();
  await db.schema
    .createTable('ledger_head')
    .addColumn('last_id', 'bigint', (column) => column.notNull())
    .execute();
  await sql`insert into ledger_head (last_id) values (0)`.execute(db);
}
