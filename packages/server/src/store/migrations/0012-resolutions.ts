import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Who said what became of an operation on a charge that could not be looked up, and why. */
export const resolutions: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('charge_operations').addColumn('resolved_by', 'text').execute();
    await db.schema.alterTable('charge_operations').addColumn('resolution_note', 'text').execute();
  },
};
