import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Which of our requests last began an operation on a charge: it is what an answer and a log name. */
export const operationRequests: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('charge_operations').addColumn('request_id', 'text').execute();
    await db.schema
      .createIndex('charge_operations_by_request')
      .on('charge_operations')
      .column('request_id')
      .execute();
  },
};
