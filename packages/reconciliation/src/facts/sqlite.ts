import { statSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import {
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';

/** Milliseconds to wait for another writing process. */
const BUSY_TIMEOUT_MS = 5_000;
const BUSY_PAUSE_MS = 10;
/**
 * Pages (4 KiB) after which SQLite moves the log into the file; a longer log is truncated to them.
 */
const WAL_PAGES = 4_096;

/** The file of the record store was moved, replaced or deleted: no more writes. */
export class FactsMovedError extends Error {
  override readonly name = 'FactsMovedError';
  readonly code = 'facts-moved';

  constructor() {
    super(
      'The file of the record store, or its log, was moved, replaced or deleted. Restore it, or restart the program.',
    );
  }
}

/**
 * Opens a writing connection. Commits are durable (WAL with synchronous=FULL): a reported fact
 * survives a power failure.
 */
export function openWriter(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    database.exec('pragma journal_mode = wal; pragma synchronous = full');
    database.exec(`pragma wal_autocheckpoint = ${WAL_PAGES}`);
    database.exec(`pragma journal_size_limit = ${WAL_PAGES * 4_096}`);
    return database;
  } catch (error) {
    // The file is not a database, or the disk fails.
    database.close();
    throw error;
  }
}

/** Opens a connection that reads committed rows, also during the writer's transaction. */
export function openReader(file: string): DatabaseSync {
  return new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, readOnly: true });
}

/** A Kysely dialect over one connection of `node:sqlite`. */
export function sqliteDialect(database: DatabaseSync): Dialect {
  return {
    createDriver: () => new FileDriver(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new TransactionalAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/** Migrates in a transaction: all pending migrations or none, by one process at a time. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class FileDriver extends SqliteDriver {
  readonly #database: DatabaseSync;
  readonly #file: string;
  /** The log appears with the first transaction. */
  #log: string | undefined;

  constructor(database: DatabaseSync) {
    super({ database: statementsOf(database) });
    this.#database = database;
    this.#file = inodeOf(database.location());
  }

  /**
   * Begins an immediate transaction: one that reads first and writes later fails when another
   * process writes in between. Waits by a timer, so that the process keeps answering requests.
   */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    void connection;
    const giveUp = Date.now() + BUSY_TIMEOUT_MS;
    this.#database.exec('pragma busy_timeout = 0');
    try {
      for (;;) {
        try {
          this.#database.exec('begin immediate');
          return;
        } catch (error) {
          if (!isBusy(error) || Date.now() > giveUp) throw error;
          await setTimeout(BUSY_PAUSE_MS);
        }
      }
    } finally {
      this.#database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  /**
   * SQLite keeps using a file that was deleted or replaced, and loses its writes with the
   * connection. Therefore each commit checks that file and log are the ones it opened.
   */
  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const file = this.#database.location();
    const log = inodeOf(file && `${file}-wal`);
    this.#log ??= log;
    if (inodeOf(file) !== this.#file || log !== this.#log) throw new FactsMovedError();
    await super.commitTransaction(connection);
  }

  /** SQLite ends a transaction itself when the disk is full; the earlier error matters. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.isTransaction) await super.rollbackTransaction(connection);
  }
}

function statementsOf(database: DatabaseSync): SqliteDatabase {
  return {
    close: () => database.close(),
    prepare(sql) {
      const statement = database.prepare(sql);
      const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => statement.all(...values(parameters)),
        run: (parameters) => statement.run(...values(parameters)),
        iterate: (parameters) => statement.iterate(...values(parameters)),
      };
    },
  };
}

function inodeOf(path: string | null): string {
  return String(path === null ? '' : statSync(path, { throwIfNoEntry: false })?.ino);
}

/** Returns whether the error is SQLITE_BUSY, in any extended form. */
function isBusy(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  return typeof error.errcode === 'number' && (error.errcode & 0xff) === 5;
}
