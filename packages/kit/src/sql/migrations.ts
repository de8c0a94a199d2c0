import { type Kysely, PostgresAdapter, sql, SqliteAdapter } from 'kysely';
import {
  DEFAULT_MIGRATION_TABLE,
  type Migration,
  type MigrationResultSet,
  Migrator,
} from 'kysely/migration';

/** Migrations of a store by name; names sort from oldest to newest. */
export type Migrations = Readonly<Record<string, Migration>>;

/** Schema version of a store: names of migrations, oldest first. */
export interface StoreVersion {
  applied: string[];
  /** Known to this program and not applied. */
  pending: string[];
  /** Applied by a newer program. */
  unknown: string[];
}

/** What a program knows about the versions of its store. */
export interface StoreSchema {
  /** The program's name for messages. */
  program: string;
  migrations: Migrations;
  /** A store without this migration was written by a version that is no longer supported. */
  oldest: string;
  /** What to do with such a store, as the end of a sentence. */
  replacement: string;
}

/** Another version of the program migrated the store. The message says what to do. */
export class StoreVersionError extends Error {
  override readonly name = 'StoreVersionError';
}

/** Reads the version of a store without changing anything. */
export async function readVersion<Tables>(
  db: Kysely<Tables>,
  migrations: Migrations,
): Promise<StoreVersion> {
  const known = Object.keys(migrations).sort();
  const applied = await appliedMigrations(db);
  return {
    applied,
    pending: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  };
}

/** Returns why a store is unusable, and what to do; undefined if the program can use it. */
export function versionProblem(
  { applied, unknown }: StoreVersion,
  { program, oldest, replacement }: Omit<StoreSchema, 'migrations'>,
): { reason: string; advice: string } | undefined {
  if (applied.length > 0 && !applied.includes(oldest)) {
    return {
      reason: `The store was written by a version of ${program} before 0.3.0, which this version does not read`,
      advice: replacement,
    };
  }
  if (unknown.length === 0) return undefined;
  return {
    reason: `The store was migrated by a newer version of ${program} (${unknown.join(', ')})`,
    advice: 'run that version, or a later one',
  };
}

/** Refuses a store that a newer or an unsupported program has migrated. @throws {StoreVersionError} */
export function refuseVersion(
  version: StoreVersion,
  schema: Omit<StoreSchema, 'migrations'>,
): void {
  const problem = versionProblem(version, schema);
  if (problem !== undefined) throw new StoreVersionError(`${problem.reason}: ${problem.advice}.`);
}

/**
 * Applies all pending migrations or none, in one transaction, one process at a time. Other
 * processes wait (for an advisory lock on PostgreSQL, for the file lock on SQLite) and then find
 * nothing to do. Without a pending migration nothing is written, because another process may hold
 * the lock.
 * @returns the names of the applied migrations
 * @throws {StoreVersionError}
 */
export async function applyPending<Tables>(
  db: Kysely<Tables>,
  schema: StoreSchema,
): Promise<string[]> {
  const { migrations } = schema;
  const version = await readVersion(db, migrations);
  refuseVersion(version, schema);
  if (version.pending.length === 0) return [];
  const provider = { getMigrations: () => Promise.resolve({ ...migrations }) };
  const migrate = async (own: Kysely<Tables>) =>
    namesOf(await new Migrator({ db: own, provider }).migrateToLatest());
  const { adapter } = db.getExecutor();
  if (!(adapter instanceof TransactionLockAdapter)) return migrate(db);
  return db.transaction().execute(async (tx) => {
    // Kysely takes the lock after it has created its own tables, too late for two processes.
    await adapter.acquireMigrationLock(tx);
    return migrate(tx);
  });
}

/** Returns the names of the migrations that were applied. @throws if one failed */
function namesOf({ error, results = [] }: MigrationResultSet): string[] {
  if (error !== undefined) {
    throw new Error('The store could not be brought up to date.', { cause: error });
  }
  return results
    .filter(({ status }) => status === 'Success')
    .map(({ migrationName }) => migrationName);
}

/**
 * An adapter whose migration lock belongs to the transaction. Kysely's own lock belongs to the
 * session: behind a pooler, other statements of the migration may run in another session, and the
 * lock would stay in the first one. Both have the same number and exclude each other.
 */
export class TransactionLockAdapter extends PostgresAdapter {
  override async acquireMigrationLock<Tables>(db: Kysely<Tables>): Promise<void> {
    await sql`select pg_advisory_xact_lock(3853314791062309107)`.execute(db);
  }

  override releaseMigrationLock(): Promise<void> {
    return Promise.resolve();
  }
}

export function isSqlite<Tables>(db: Kysely<Tables>): boolean {
  return db.getExecutor().adapter instanceof SqliteAdapter;
}

/**
 * Returns the names of the applied migrations, oldest first. A select does not need SQLite's write
 * lock.
 */
async function appliedMigrations<Tables>(db: Kysely<Tables>): Promise<string[]> {
  if (!(await hasMigrationTable(db))) return [];
  const rows = await tablesOf(db).selectFrom(DEFAULT_MIGRATION_TABLE).select('name').execute();
  return rows.map(({ name }) => name).sort();
}

/** Queries one table by name: Kysely's introspection reads every column of every table. */
async function hasMigrationTable<Tables>(db: Kysely<Tables>): Promise<boolean> {
  const exists = isSqlite(db)
    ? sql`exists (select 1 from sqlite_master where name = ${DEFAULT_MIGRATION_TABLE})`
    : sql`to_regclass(${DEFAULT_MIGRATION_TABLE}) is not null`;
  const { found } = await tablesOf(db).selectNoFrom(exists.as('found')).executeTakeFirstOrThrow();
  return Boolean(found);
}

const tablesOf = (db: unknown) => db as Kysely<{ [DEFAULT_MIGRATION_TABLE]: { name: string } }>;
