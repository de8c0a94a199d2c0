import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the items of a checkout's order, which staff use for partial settles. */
export const items: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('checkouts').addColumn('items', 'text').execute();
  },
};
