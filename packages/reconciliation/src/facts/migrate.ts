import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { randomUUID } from 'node:crypto';
import { GENESIS } from './case-facts.ts';
import {
  originOfImports,
  baseline,
  type DatabaseKind,
  endedSessionsTable,
  type FactTables,
  trailOfActions,
} from './schema.ts';

/** A newer program created or changed the record store. */
export class FactsVersionError extends Error {
  override readonly name = 'FactsVersionError';
  readonly code = 'facts-newer';
}

/**
 * Migrates the record store. Concurrent processes do it one after another.
 * @throws {FactsVersionError}
 */
export async function migrate(db: Kysely<FactTables>, kind: DatabaseKind): Promise<void> {
  // Released migrations never change; new ones are added.
  const list: Record<string, Migration> = {
    '0001-baseline': baselineOf(kind),
    '0002-actions': actionsOf(kind),
    '0003-ended-sessions': {
      up: async (own) => void (await sql.raw(endedSessionsTable(kind)).execute(own)),
    },
    '0004-import-origins': {
      async up(db: Kysely<FactTables>) {
        for (const statement of originOfImports(kind)) await sql.raw(statement).execute(db);
      },
    },
  };
  const executed = await executedMigrations(db);
  const unknown = executed.find((name) => !Object.hasOwn(list, name));
  if (unknown !== undefined) {
    throw new FactsVersionError(
      `The record store has the unknown migration ${unknown}: install the newer program.`,
    );
  }
  // Writes nothing if no migration is pending: another process may hold the store.
  if (executed.length === Object.keys(list).length) return;
  const provider = { getMigrations: () => Promise.resolve(list) };
  const { error } = await new Migrator({ db, provider }).migrateToLatest();
  if (error instanceof Error) throw error;
  if (error !== undefined) throw new Error('The record store could not be migrated.');
}

async function executedMigrations(db: Kysely<FactTables>): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === 'kysely_migration')) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.map(({ name }) => name);
}

function baselineOf(kind: DatabaseKind): Migration {
  return {
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
        .insertInto('case_chain')
        .values({ one: 1, last_seq: 0, last_hash: GENESIS })
        .execute();
    },
  };
}

function actionsOf(kind: DatabaseKind): Migration {
  return {
    async up(db: Kysely<FactTables>) {
      for (const statement of trailOfActions(kind)) await sql.raw(statement).execute(db);
      await db
        .insertInto('action_chain')
        .values({ one: 1, last_seq: 0, last_hash: GENESIS })
        .execute();
    },
  };
}
