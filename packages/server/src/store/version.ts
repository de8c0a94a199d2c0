import type { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { migrations } from './migrations.ts';
import { appliedMigrations, serverEncoding } from './sql/database-state.ts';

/** The store does not fit the program. The message says what to do. */
export class StoreVersionError extends Error {
  override readonly name = 'StoreVersionError';
}

/** Version of a store: names of migrations, oldest first. */
export interface StoreVersion {
  applied: string[];
  /** Known to this program and not applied. */
  pending: string[];
  /** Applied by a newer program. */
  unknown: string[];
}

/**
 * Reads the version of a store. Changes nothing.
 * @throws {StoreVersionError} for a database that cannot store every text
 */
export async function readVersion<Tables>(db: Kysely<Tables>): Promise<StoreVersion> {
  await refuseEncoding(db);
  const known = Object.keys(await migrations.getMigrations()).sort();
  const applied = await appliedMigrations(db);
  return {
    applied,
    pending: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  };
}

/** Refuses a database in which a name with other letters would fail its checkout, and every sync. */
async function refuseEncoding<Tables>(db: Kysely<Tables>): Promise<void> {
  const encoding = await serverEncoding(db);
  if (encoding === undefined || /^utf-?8$/i.test(encoding)) return;
  throw new StoreVersionError(
    `The database has the encoding ${encoding}, which cannot store every text: create one with "create database … encoding 'UTF8' template template0".`,
  );
}

/** Refuses a store that a newer program has migrated. @throws {StoreVersionError} */
export function refuseNewer({ unknown }: StoreVersion): void {
  if (unknown.length === 0) return;
  throw new StoreVersionError(
    `The store was migrated by a newer version of the companion (${unknown.join(', ')}): run that version, or a later one.`,
  );
}

/**
 * Applies all pending migrations or none, in one transaction, one process at a time. Other processes wait (for
 * an advisory lock on PostgreSQL, for SQLite's lock of the file) and then find nothing to do.
 * @returns the names of the applied migrations
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
