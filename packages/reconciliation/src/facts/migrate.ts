import { applyPending, type StoreSchema } from '@financing-checkout/kit/sql';
import { FOLD_VERSION } from '@financing-checkout/reconciliation-rules';
import { type Kysely, sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { keepCases } from './case-store.ts';
import { baseline, type DatabaseKind, type FactTables } from './schema.ts';
import { GENESIS } from './trail.ts';

/** Stores of before have migrations with smaller numbers, and not this one. */
const BASELINE = '0016-baseline';

/**
 * Returns the migrations of the record store. A released migration never changes; new ones are
 * added.
 */
const migrationsOf = (kind: DatabaseKind): StoreSchema['migrations'] => ({
  [BASELINE]: {
    async up(db: Kysely<FactTables>) {
      for (const statement of baseline(kind)) await sql.raw(statement).execute(db);
      await db
        .insertInto('fact_head')
        .values({
          one: 1,
          store_id: randomUUID(),
          last_number: 0,
          fence: 0,
          holder: '',
          address: null,
          until: 0,
        })
        .execute();
      await db
        .insertInto('trail_head')
        .values({ one: 1, seq: 0, hash: GENESIS, folded: FOLD_VERSION })
        .execute();
    },
  },
});

/** Returns which versions of the record store this program uses. */
export const schemaOf = (kind: DatabaseKind): StoreSchema => ({
  migrations: migrationsOf(kind),
  program: 'financing-reconcile',
  oldest: BASELINE,
  replacement:
    'name a new, empty store in RECONCILIATION_STORE, sync, and import the ledgers again',
});

/** Migrates the record store, and makes its cases if they are missing. @throws {StoreVersionError} */
export async function migrate(db: Kysely<FactTables>, kind: DatabaseKind): Promise<void> {
  await applyPending(db, schemaOf(kind));
  await keepCases(db, kind);
}
