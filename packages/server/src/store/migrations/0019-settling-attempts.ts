import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Whether the settle of a charge was asked for with it, whatever companions are set to later. */
export const settlingAttempts: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('attempts').addColumn('settle', 'integer').execute();
  },
};
