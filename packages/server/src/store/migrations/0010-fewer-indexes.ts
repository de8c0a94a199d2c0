import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * What every checkout writes is kept in fewer places. An attempt has no checkout and a checkout no
 * charge when it is new: they are in the index from when they have one. An attempt's id begins with
 * its time, so that the old ones are found by that.
 */
export const fewerIndexes: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.dropIndex('attempts_by_age').execute();
    await db.schema.dropIndex('attempts_by_checkout').execute();
    await db.schema
      .createIndex('attempts_by_checkout')
      .on('attempts')
      .column('checkout_id')
      .where(sql.ref('checkout_id'), 'is not', null)
      .execute();
    await db.schema.dropIndex('checkouts_by_charge').execute();
    await db.schema
      .createIndex('checkouts_by_charge')
      .on('checkouts')
      .column('charge_id')
      .where(sql.ref('charge_id'), 'is not', null)
      .execute();
  },
};
