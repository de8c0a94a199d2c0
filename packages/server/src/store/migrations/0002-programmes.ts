import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Adds what precedes a checkout: the financing message that the shopper saw, and prequalifications.
 */
export const programmes: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('checkouts').addColumn('shown', 'text').execute();
    await db.schema
      .createTable('prequalifications')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('secret_hash', 'text', (column) => column.notNull())
      .addColumn('fingerprint', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('currency', 'text', (column) => column.notNull())
      .addColumn('origin', 'text', (column) => column.notNull())
      .addColumn('return_url', 'text')
      .addColumn('locale', 'text')
      .addColumn('session_token', 'text')
      .addColumn('application_id', 'text')
      .addColumn('lease_until', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addUniqueConstraint('prequalifications_by_secret', ['environment', 'secret_hash'])
      .execute();
    const indexes = [
      ['prequalifications_by_application', 'application_id'],
      ['prequalifications_by_age', 'created_at'],
    ] as const;
    for (const [name, column] of indexes) {
      await db.schema.createIndex(name).on('prequalifications').column(column).execute();
    }
  },
};
