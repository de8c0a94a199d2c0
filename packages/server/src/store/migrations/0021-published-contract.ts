import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The taxes of an order and the total of its charge, which a lease-to-own lender charges without sales
 * tax; the lender's reference of each transaction, which its funding carries; which settles were
 * requested with their charge, for the service has no transaction with an id of ours for them; the
 * digest of the secret that a page needs for its checkout. The order of each prime, by which primes are
 * counted; and an index of checkouts that came to nothing.
 */
export const publishedContract: Migration = {
  async up(db: Kysely<unknown>) {
    for (const column of ['tax_amount', 'shipping_tax_amount', 'charged_amount'] as const) {
      await db.schema.alterTable('checkouts').addColumn(column, 'bigint').execute();
    }
    await db.schema.alterTable('checkouts').addColumn('charged_reason', 'text').execute();
    await db.schema.alterTable('checkouts').addColumn('secret_hash', 'text').execute();
    await db.schema.alterTable('ledger').addColumn('lender_reference_id', 'text').execute();
    await db.schema.alterTable('ledger').addColumn('order_amount', 'bigint').execute();
    await db.schema.alterTable('ledger').addColumn('order_amount_reason', 'text').execute();
    await db.schema
      .alterTable('charge_operations')
      .addColumn('lender_reference_id', 'text')
      .execute();
    await db.schema.alterTable('charge_operations').addColumn('with_charge', 'integer').execute();
    // An earlier version says so in the key alone: no key from outside has spaces in it.
    await sql`update charge_operations set with_charge = 1 where key like 'settle with %'`.execute(
      db,
    );
    await db.schema.alterTable('ledger_lines').addColumn('lender_reference_id', 'text').execute();
    await db.schema.alterTable('attempts').addColumn('prime_of', 'text').execute();
    await db.schema
      .createIndex('attempts_by_prime')
      .on('attempts')
      .columns(['prime_of', 'created_at'])
      .where('prime_of', 'is not', null)
      .execute();
    // Of those alone that nothing is left to do for: an open checkout is not in it.
    await db.schema
      .createIndex('checkouts_never_confirmed')
      .on('checkouts')
      .column('updated_at')
      .where(sql<boolean>`confirmation_hash is null and attention_at is null`)
      .execute();
  },
};
