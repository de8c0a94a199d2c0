import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type PostgresAddress, PostgresUrlError, readPostgresUrl } from '@financing-checkout/kit';
import {
  applyPending,
  readVersion,
  reasonsOf,
  refuseVersion,
  type StoreVersion,
  StoreVersionError,
  unusableSqlite,
} from '@financing-checkout/kit/sql';
import type { StoreUrlEvent } from '@financing-checkout/kit/postgres';
import { BUSY_TIMEOUT_MS, sqliteDialect } from '@financing-checkout/kit/sqlite';
import { Kysely, sql } from 'kysely';
import { backupPostgres, backupSqlite } from './backup.ts';
import { keepCases } from './case-facts.ts';
import { type FactTables, schema, storeRows } from './schema.ts';
import { createFactStore, type FactStore } from './store.ts';

/** The record store is unusable. The message says what to do and contains no password. */
export class FactsError extends Error {
  override readonly name = 'FactsError';
  readonly code = 'facts-unusable';
}

/** Statement timeout in milliseconds. It is long because a day's content may be large. */
const STATEMENT_TIMEOUT_MS = 60_000;

/** Parses the URL of a record store. @throws {PostgresUrlError} */
export function readFactsUrl(text: string): PostgresAddress {
  return readPostgresUrl(text, { applicationName: 'financing-reconcile', poolSize: 5 });
}

/**
 * The watched file that contains a store's URL. `report` is called when a new URL is used or
 * refused.
 */
export interface FactsUrlFile {
  path: string;
  report: (event: StoreUrlEvent) => void;
}

/**
 * Opens the record store and migrates its tables.
 * @param url `postgres://user:password@host:port/database`, or the path of a SQLite file, which is
 * created with mode 0600
 * @throws {FactsError}
 */
export async function openFacts(url: string, urlFile?: FactsUrlFile): Promise<FactStore> {
  let database: Kysely<FactTables> | undefined;
  try {
    database = await openDatabase(url, urlFile);
    const db = database;
    const facts = await createFactStore(db);
    return isPostgres(url) ? { ...facts, serverTime: () => timeOfServer(db) } : facts;
  } catch (error) {
    await database?.destroy().catch(() => undefined);
    throw factsError(error);
  }
}

/**
 * Returns a record store's schema version without changing the store. A SQLite file must exist.
 * @param url as for {@link openFacts}
 * @throws {FactsError} also for a store version that this program does not use
 */
export async function readFactsVersion(url: string): Promise<StoreVersion> {
  let db: Kysely<FactTables> | undefined;
  try {
    const file = isPostgres(url) ? undefined : resolve(url);
    db = await connectTo(url, file);
    const version = await readVersion(db, schema.migrations);
    refuseVersion(version, schema);
    return version;
  } catch (error) {
    throw factsError(error);
  } finally {
    await db?.destroy();
  }
}

/**
 * Copies a record store of any version to a file with mode 0600, which appears only when complete.
 * The copy has its own id, because its facts diverge after a restore: it must not be used with this
 * store's analytics file.
 * @param url as for {@link openFacts}
 * @throws {BackupError} for a store in PostgreSQL, or if the file cannot be written
 */
export function backUpFacts(url: string, file: string): Promise<void> {
  return isPostgres(url) ? backupPostgres() : backupSqlite(resolve(url), file);
}

/**
 * Returns a record store's id without changing the store; undefined if it does not exist or cannot
 * be read.
 * @param url as for {@link openFacts}
 */
export async function readStoreId(url: string): Promise<string | undefined> {
  try {
    if (!isPostgres(url)) return storeIdInFile(resolve(url));
    const db = await connect(url);
    try {
      return (await db.selectFrom('factHead').select('storeId').executeTakeFirst())?.storeId;
    } finally {
      await db.destroy();
    }
  } catch {
    return undefined;
  }
}

/**
 * Reads the id over a read-only connection, because the driver used for stores would create a
 * missing file.
 */
function storeIdInFile(file: string): string | undefined {
  const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    const row = database.prepare('select store_id from fact_head').get();
    return row?.store_id as string | undefined;
  } finally {
    database.close();
  }
}

async function timeOfServer(db: Kysely<FactTables>): Promise<number> {
  const { rows } = await sql<{ now: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('The server did not return its time.');
  return row.now;
}

const isPostgres = (url: string) => /^postgres(?:ql)?:/.test(url);

async function openDatabase(url: string, urlFile?: FactsUrlFile): Promise<Kysely<FactTables>> {
  const file = isPostgres(url) ? undefined : resolve(url);
  if (file !== undefined) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const db = await connectTo(url, file, urlFile);
  try {
    if (file === undefined) await (await loadPostgres()).requireAdvisoryLocks(readFactsUrl(url));
    await applyPending(db.withoutPlugins(), schema);
    await keepCases(db);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return db;
}

async function connectTo(
  url: string,
  file: string | undefined,
  urlFile?: FactsUrlFile,
): Promise<Kysely<FactTables>> {
  return file === undefined
    ? connect(url, urlFile)
    : new Kysely({ dialect: sqliteDialect(file), plugins: [storeRows] });
}

/** Loaded on demand, because most installations use a SQLite file. */
const loadPostgres = () => import('@financing-checkout/kit/postgres');

async function connect(url: string, urlFile?: FactsUrlFile): Promise<Kysely<FactTables>> {
  const address = readFactsUrl(url);
  const { postgresDialect, watchStoreUrl } = await loadPostgres();
  const next = urlFile && watchStoreUrl({ ...urlFile, text: url, readUrl: readFactsUrl });
  return new Kysely({
    dialect: postgresDialect({ address, next, statementTimeoutMs: STATEMENT_TIMEOUT_MS }),
    plugins: [storeRows],
  });
}

const closed = 'It must be a file, and this user must be able to write to it and its folder.';
/** Advice for SQLite result codes, because SQLite's messages contain none. */
const advice = new Map([
  ['SQLITE_BUSY', 'Another process has locked it for too long: stop that process or retry.'],
  ['SQLITE_READONLY', closed],
  ['SQLITE_CANTOPEN', closed],
  ['SQLITE_CORRUPT', 'Keep the file unchanged, and restore a backup.'],
  ['SQLITE_FULL', 'Free space on its disk.'],
  ['SQLITE_NOTADB', 'The file is not a record store: check the address.'],
]);

function factsError(error: unknown): FactsError {
  if (error instanceof StoreVersionError || unusableSqlite(error) === 'SQLITE_READONLY_DBMOVED') {
    return new FactsError(reasonsOf(error).join(': '), { cause: error });
  }
  if (error instanceof PostgresUrlError) {
    return new FactsError(`The address of the record store ${error.message}.`);
  }
  const next = advice.get(unusableSqlite(error) ?? '');
  const reason = reasonsOf(error).join(': ');
  return new FactsError(
    `The record store is unusable: ${reason}.${next === undefined ? '' : ` ${next}`}`,
    { cause: error },
  );
}
