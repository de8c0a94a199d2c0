import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What is open of an order, to be found by its amount. Most orders have nothing open. */
export const openAmounts: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createIndex('order_statuses_open')
      .on('order_statuses')
      .columns(['environment', 'currency'])
      .column(sql`(expected_settle - funded_settle)`)
      .where(sql.ref('expected_settle'), '<>', sql.ref('funded_settle'))
      .execute();
  },
};
