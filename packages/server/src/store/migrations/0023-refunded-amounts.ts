import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** How much of a charge is refunded: the page says so to the shopper. */
export const refundedAmounts: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('checkouts').addColumn('refunded_amount', 'bigint').execute();
  },
};
