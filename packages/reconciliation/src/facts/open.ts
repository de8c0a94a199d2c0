import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type PostgresAddress, PostgresUrlError, readPostgresUrl } from '@financing-checkout/kit';
import { Kysely } from 'kysely';
import { backupPostgres, backupSqlite } from './backup.ts';
import { createFactStore, type FactDatabase } from './fact-store.ts';
import { FactsVersionError, migrate } from './migrate.ts';
import type { FactTables } from './schema.ts';
import { FactsMovedError, openReader, openWriter, sqliteDialect } from './sqlite.ts';
import type { FactStore } from './store.ts';

/** The record store is unusable. The message says what to do and contains no password. */
export class FactsError extends Error {
  override readonly name = 'FactsError';
  readonly code = 'facts-unusable';
}

/** Statement timeout in milliseconds: the content of a day may be large. */
const STATEMENT_TIMEOUT_MS = 60_000;

/** Reads the URL of a record store. @throws {PostgresUrlError} */
export function readFactsUrl(text: string): PostgresAddress {
  return readPostgresUrl(text, { applicationName: 'financing-reconcile', poolSize: 5 });
}

/**
 * Opens the record store and migrates its tables.
 * @param url `postgres://user:password@host:port/database`, or the path of a SQLite file, which is
 * created with mode 0600
 * @throws {FactsError}
 */
export async function openFacts(url: string): Promise<FactStore> {
  let database: FactDatabase | undefined;
  try {
    database = await (/^postgres(?:ql)?:/.test(url) ? openPostgres(url) : openSqlite(url));
    return await createFactStore(database);
  } catch (error) {
    await database?.close().catch(() => undefined);
    throw factsError(error);
  }
}

/**
 * Returns the id of a record store without changing it; undefined if it does not exist or cannot be
 * read.
 * @param url as for {@link openFacts}
 */
export async function readStoreId(url: string): Promise<string | undefined> {
  try {
    const db = await openUnchanged(url);
    try {
      const row = await db.selectFrom('fact_head').select('store_id').executeTakeFirst();
      return row?.store_id;
    } finally {
      await db.destroy();
    }
  } catch {
    return undefined;
  }
}

async function openUnchanged(url: string): Promise<Kysely<FactTables>> {
  if (!/^postgres(?:ql)?:/.test(url)) {
    return new Kysely({ dialect: sqliteDialect(openReader(resolve(url))) });
  }
  const address = readFactsUrl(url);
  const { postgresDialect } = await import('@financing-checkout/kit/postgres');
  return new Kysely({
    dialect: postgresDialect({ address, statementTimeoutMs: STATEMENT_TIMEOUT_MS }),
  });
}

async function openSqlite(path: string): Promise<FactDatabase> {
  const file = resolve(path);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Only for a new file: closing a file releases all locks of this process on it (fcntl(2)). Log
  // and shared memory get the same mode.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  const connection = openWriter(file);
  const writer = new Kysely<FactTables>({ dialect: sqliteDialect(connection) });
  try {
    await migrate(writer, 'sqlite');
    const reader = new Kysely<FactTables>({ dialect: sqliteDialect(openReader(file)) });
    return {
      writer,
      reader,
      backup: (target) => backupSqlite(connection, target),
      async close() {
        await reader.destroy();
        await writer.destroy();
      },
    };
  } catch (error) {
    await writer.destroy();
    throw error;
  }
}

async function openPostgres(url: string): Promise<FactDatabase> {
  const address = readFactsUrl(url);
  // Loaded on demand: most installations use a file.
  const { postgresDialect } = await import('@financing-checkout/kit/postgres');
  const db = new Kysely<FactTables>({
    dialect: postgresDialect({ address, statementTimeoutMs: STATEMENT_TIMEOUT_MS }),
  });
  try {
    await migrate(db, 'postgres');
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return { writer: db, reader: db, backup: backupPostgres, close: () => db.destroy() };
}

const closed = 'It must be a file, and this user must be able to write to it and its folder.';
/** Advice for result codes of SQLite, whose messages lack it. */
const advice = new Map([
  [5, 'Another process has locked it for too long: stop that process or retry.'],
  [8, closed],
  [14, closed],
  [11, 'Keep the file unchanged, and restore a backup.'],
  [13, 'Free space on its disk.'],
  [26, 'The file is not a record store: check the address.'],
]);

function factsError(error: unknown): FactsError {
  if (error instanceof FactsVersionError || error instanceof FactsMovedError) {
    return new FactsError(error.message, { cause: error });
  }
  if (error instanceof PostgresUrlError) {
    return new FactsError(`The address of the record store ${error.message}.`);
  }
  const errcode = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
  const next = advice.get(errcode);
  const reason = reasonsOf(error).join(': ');
  return new FactsError(
    `The record store is unusable: ${reason}.${next === undefined ? '' : ` ${next}`}`,
    { cause: error },
  );
}

/**
 * Returns the messages of an error and its causes; a connection that failed at every address has
 * several.
 */
function reasonsOf(error: unknown): string[] {
  if (!(error instanceof Error)) return ['unknown'];
  const reasons = error.message === '' ? [] : [error.message];
  if (error instanceof AggregateError) return [...reasons, ...error.errors.flatMap(reasonsOf)];
  return error.cause === undefined ? reasons : [...reasons, ...reasonsOf(error.cause)];
}
