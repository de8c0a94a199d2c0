import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The taxes of an order and the total of its charge, which a lease-to-own lender charges without sales
 * tax; the lender's reference of each transaction, which its funding carries.
 */
export const publishedContract: Migration = {
  async up(db: Kysely<unknown>) {
    for (const column of ['tax_amount', 'shipping_tax_amount', 'charged_amount'] as const) {
      await db.schema.alterTable('checkouts').addColumn(column, 'bigint').execute();
    }
    await db.schema.alterTable('checkouts').addColumn('charged_reason', 'text').execute();
    await db.schema.alterTable('ledger').addColumn('lender_reference_id', 'text').execute();
    await db.schema.alterTable('ledger').addColumn('order_amount', 'bigint').execute();
    await db.schema.alterTable('ledger').addColumn('order_amount_reason', 'text').execute();
    await db.schema
      .alterTable('charge_operations')
      .addColumn('lender_reference_id', 'text')
      .execute();
    await db.schema.alterTable('ledger_lines').addColumn('lender_reference_id', 'text').execute();
  },
};
