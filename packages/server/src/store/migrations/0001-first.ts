import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const first: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('checkouts')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('merchant_order_id', 'text', (column) => column.notNull())
      .addColumn('amount', 'bigint', (column) => column.notNull())
      .addColumn('currency', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('retry_safe', 'integer')
      .addColumn('revision', 'bigint', (column) => column.notNull())
      .addColumn('session_token', 'text', (column) => column.notNull())
      .addColumn('application_id', 'text')
      .addColumn('origin', 'text', (column) => column.notNull())
      .addColumn('return_url', 'text')
      .addColumn('locale', 'text')
      .addColumn('confirmation_hash', 'text')
      .addColumn('charge_id', 'text')
      .addColumn('charge_state', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('attention_at', 'bigint')
      .addColumn('attention_tries', 'integer', (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('checkouts_by_order')
      .on('checkouts')
      .columns(['merchant_order_id', 'created_at'])
      .execute();
    await db.schema
      .createIndex('checkouts_by_attention')
      .on('checkouts')
      .column('attention_at')
      .execute();
    await db.schema
      .createTable('attempts')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('checkout_id', 'text')
      .addColumn('merchant_transaction_id', 'text')
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('service_request_id', 'text')
      .addColumn('reason', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('attempts_by_checkout')
      .on('attempts')
      .column('checkout_id')
      .execute();
    await db.schema
      .createTable('idempotency')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('fingerprint', 'text', (column) => column.notNull())
      .addColumn('attempt_id', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('lease_until', 'bigint', (column) => column.notNull())
      .addColumn('checkout_id', 'text')
      .addColumn('problem', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('order_claims')
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('merchant_order_id', 'text', (column) => column.notNull())
      .addColumn('checkout_id', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('order_claims_key', ['environment', 'merchant_order_id'])
      .execute();
    await db.schema
      .createTable('outbox')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('checkout_id', 'text', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('tries', 'integer', (column) => column.notNull())
      .addColumn('next_attempt_at', 'bigint')
      .addColumn('delivered_at', 'bigint')
      .addColumn('last_reason', 'text')
      .execute();
    await db.schema.createIndex('outbox_due').on('outbox').column('next_attempt_at').execute();
  },
};
