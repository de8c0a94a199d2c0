import type { Kysely } from 'kysely';
import { sql, SqliteAdapter } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, Migrator } from 'kysely/migration';
import { migrations } from './migrations.ts';

/** The store does not fit the program. The message says what to do. */
export class StoreVersionError extends Error {
  override readonly name = 'StoreVersionError';
}

/** How far a store is, by names of migrations, oldest first. */
export interface StoreVersion {
  applied: string[];
  /** Known to this program, not applied yet. */
  pending: string[];
  /** Applied by a newer program. */
  unknown: string[];
}

/**
 * Reads how far a store is. Changes nothing.
 * @throws {StoreVersionError} for a database that cannot keep every text
 */
export async function readVersion<Tables>(db: Kysely<Tables>): Promise<StoreVersion> {
  if (!isSqlite(db)) await refuseEncoding(db);
  const known = Object.keys(await migrations.getMigrations()).sort();
  const applied = (await hasMigrations(db))
    ? await sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`
        .execute(db)
        .then(({ rows }) => rows.map(({ name }) => name).sort())
    : [];
  return {
    applied,
    pending: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  };
}

function isSqlite<Tables>(db: Kysely<Tables>): boolean {
  return db.getExecutor().adapter instanceof SqliteAdapter;
}

/** A single name with letters that a database has not would fail its checkout, and every sync. */
async function refuseEncoding<Tables>(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{
    encoding: string;
  }>`select current_setting('server_encoding') as encoding`.execute(db);
  const encoding = rows[0]?.encoding;
  if (encoding === undefined || /^utf-?8$/i.test(encoding)) return;
  throw new StoreVersionError(
    `The database has the encoding ${encoding}, which cannot keep every text: make one with "create database … encoding 'UTF8' template template0".`,
  );
}

/** Asked by name: Kysely's introspection reads every column of every table there is. */
async function hasMigrations<Tables>(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await (
    isSqlite(db)
      ? sql`select 1 from sqlite_master where name = ${DEFAULT_MIGRATION_TABLE}`
      : sql`select 1 where to_regclass(${DEFAULT_MIGRATION_TABLE}) is not null`
  ).execute(db);
  return rows.length > 0;
}

/** @throws {StoreVersionError} for a store that a newer program has migrated */
export function refuseNewer({ unknown }: StoreVersion): void {
  if (unknown.length === 0) return;
  throw new StoreVersionError(
    `The store was migrated by a newer version of the companion (${unknown.join(', ')}): run that version, or a later one.`,
  );
}

/**
 * Applies what is pending: all of it or nothing, in one transaction, one process at a time. Others
 * wait (an advisory lock on PostgreSQL, SQLite's lock of the file) and then find nothing to do.
 * @returns names of what was applied
 * @throws {StoreVersionError}
 */
export async function applyPending<Tables>(db: Kysely<Tables>): Promise<string[]> {
  const version = await readVersion(db);
  refuseNewer(version);
  if (version.pending.length === 0) return [];
  const migrator = new Migrator({ db, provider: migrations });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error !== undefined) {
    throw new Error('The store could not be brought up to date.', { cause: error });
  }
  return results
    .filter(({ status }) => status === 'Success')
    .map(({ migrationName }) => migrationName);
}
