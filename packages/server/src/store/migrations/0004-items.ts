import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the items of a checkout's order, by which staff settle a part. */
export const items: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('checkouts').addColumn('items', 'text').execute();
  },
};
