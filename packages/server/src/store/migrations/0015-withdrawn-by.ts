import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Who took lines out of the books. Of those before nobody was asked. */
export const withdrawnBy: Migration = {
  async up(db: Kysely<unknown>) {
    for (const table of ['ledger_imports', 'withdrawn_lines']) {
      await db.schema.alterTable(table).addColumn('actor', 'text').execute();
    }
  },
};
