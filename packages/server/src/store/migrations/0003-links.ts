import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds links: URLs of the service at which a shopper continues on another device. */
export const links: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('checkouts').addColumn('via', 'text').execute();
    await db.schema.alterTable('notifications').addColumn('checkout_id', 'text').execute();
    await db.schema
      .createTable('links')
      .addColumn('checkout_id', 'text', (column) => column.primaryKey())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('merchant_order_id', 'text', (column) => column.notNull())
      .addColumn('link_id', 'text')
      .addColumn('correlation_id', 'text', (column) => column.notNull())
      .addColumn('url', 'text')
      .addColumn('qr_code', 'text')
      .addColumn('delivery', 'text')
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('progress', 'text', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('attention_at', 'bigint')
      .addColumn('attention_tries', 'integer', (column) => column.notNull())
      .execute();
    const indexes = {
      links_by_order: ['merchant_order_id', 'created_at'],
      links_by_link: ['link_id'],
      links_by_correlation: ['correlation_id'],
      links_by_attention: ['attention_at'],
      links_by_expiry: ['expires_at'],
    };
    for (const [name, columns] of Object.entries(indexes)) {
      await db.schema.createIndex(name).on('links').columns(columns).execute();
    }
    await db.schema
      .createTable('link_claims')
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('merchant_order_id', 'text', (column) => column.notNull())
      .addColumn('attempt_id', 'text', (column) => column.notNull())
      .addColumn('checkout_id', 'text')
      .addColumn('until', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('link_claims_key', ['environment', 'merchant_order_id'] as never[])
      .execute();
    await db.schema.createIndex('link_claims_by_end').on('link_claims').column('until').execute();
    await db.schema
      .createTable('second_confirmations')
      .addColumn('checkout_id', 'text', (column) => column.notNull())
      .addColumn('application_id', 'text', (column) => column.notNull())
      .addColumn('seen_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('second_confirmations_key', [
        'checkout_id',
        'application_id',
      ] as never[])
      .execute();
  },
};
