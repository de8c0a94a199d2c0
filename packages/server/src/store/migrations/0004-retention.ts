import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Indexes by which old rows are found without reading the others. */
export const retentionIndexes: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createIndex('idempotency_by_age')
      .on('idempotency')
      .column('created_at')
      .execute();
    await db.schema.createIndex('outbox_by_delivery').on('outbox').column('delivered_at').execute();
    await db.schema.createIndex('attempts_by_age').on('attempts').column('updated_at').execute();
  },
};
