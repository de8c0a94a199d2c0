import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Which of our requests an attempt was made for: it is what a page and a log name. */
export const requestIds: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('attempts').addColumn('request_id', 'text').execute();
    await db.schema
      .createIndex('attempts_by_request')
      .on('attempts')
      .column('request_id')
      .execute();
  },
};
