import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Lines that both the service and the merchant have a name for, by the service's: an import asks for
 * them, line by line. By their order all of its lines would be read each time, and some files name one
 * word as the order of thousands.
 */
export const namedLines: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createIndex('ledger_lines_by_transaction')
      .on('ledger_lines')
      .columns(['environment', 'transaction_id'])
      .where(sql.ref('merchant_transaction_id'), 'is not', null)
      .execute();
  },
};
