import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Adds the requester of an operation on a charge, which reconciliation uses to find its own
 * operations.
 */
export const operationActors: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('charge_operations').addColumn('actor', 'text').execute();
    await db.schema
      .createIndex('charge_operations_by_actor')
      .on('charge_operations')
      .columns(['actor', 'id'])
      .execute();
  },
};
