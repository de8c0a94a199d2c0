import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { createEmptyFile } from '../files/private-file.ts';
import { BUSY_TIMEOUT_MS, GroupCommit } from './group-commit.ts';
import { openWriter, Statements } from './sqlite-file.ts';

export { BUSY_TIMEOUT_MS } from './group-commit.ts';

/**
 * Creates a Kysely dialect over `node:sqlite`. A committed transaction is on disk (WAL with
 * synchronous=FULL). Transactions that end within one turn of the event loop share a commit, and selects
 * outside a transaction read committed rows while another transaction is in progress.
 * @param file a path, or `:memory:`
 */
export function sqliteDialect(file: string): Dialect {
  const driver = new SqliteDriver(file);
  return {
    createDriver: () => driver,
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new TransactionalAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/**
 * Kysely's own adapter assumes that SQLite has a single user: it migrates without a transaction.
 */
class TransactionalAdapter extends SqliteAdapter {
  /** Applies all pending migrations or none, one process at a time. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** {@link GroupCommit} serializes writers. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

interface Databases {
  writer: Statements;
  writes: GroupCommit;
  /**
   * Sees only committed rows, even while a transaction is in progress. Undefined for an in-memory
   * database.
   */
  reader: Statements | undefined;
  reads: number;
}

class SqliteDriver implements Driver {
  readonly #file: string;
  #open: Databases | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  init(): Promise<void> {
    this.#open ??= openDatabases(this.#file);
    return Promise.resolve();
  }

  acquireConnection(): Promise<SqliteConnection> {
    if (!this.#open) return Promise.reject(new Error('The SQLite database is not open.'));
    return Promise.resolve(new SqliteConnection(this.#open));
  }

  beginTransaction(connection: SqliteConnection): Promise<void> {
    return connection.begin();
  }

  commitTransaction(connection: SqliteConnection): Promise<void> {
    return connection.commit();
  }

  rollbackTransaction(connection: SqliteConnection): Promise<void> {
    connection.rollback();
    return Promise.resolve();
  }

  releaseConnection(): Promise<void> {
    return Promise.resolve();
  }

  async destroy(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.writes.close();
    open?.reader?.close();
    open?.writer.close();
  }
}

function openDatabases(file: string): Databases {
  const isInMemory = file === ':memory:';
  // The file holds a merchant's data, so only its owner may read it. The WAL and SHM files inherit
  // its mode. Created only if missing: closing a file releases all locks that this process has on
  // it (fcntl(2)), so another process would believe that it is the last one and delete the log that
  // is in use.
  if (!isInMemory && !existsSync(file)) createUnlessThere(file);
  const writer = openWriter(file);
  // Another connection to ":memory:" would be another database.
  const reader = isInMemory
    ? undefined
    : new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, readOnly: true });
  return {
    writer: new Statements(writer),
    writes: new GroupCommit(writer),
    reader: reader && new Statements(reader),
    reads: 0,
  };
}

/** Another process may create the file at the same time. */
function createUnlessThere(file: string): void {
  try {
    createEmptyFile(file);
  } catch (error) {
    if (!existsSync(file)) throw error;
  }
}

/** A connection that either is in a transaction or runs each statement as its own transaction. */
class SqliteConnection implements DatabaseConnection {
  readonly #databases: Databases;
  #inTransaction = false;

  constructor(databases: Databases) {
    this.#databases = databases;
  }

  async begin(): Promise<void> {
    await this.#databases.writes.begin();
    this.#inTransaction = true;
  }

  commit(): Promise<void> {
    this.#inTransaction = false;
    return this.#databases.writes.commit();
  }

  /** Kysely also calls this after a failed COMMIT, while another transaction is active. */
  rollback(): void {
    if (!this.#inTransaction) return;
    this.#inTransaction = false;
    this.#databases.writes.rollback();
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { writer, reader } = this.#databases;
    if (this.#inTransaction) return writer.run<Row>(query);
    if (reader && query.query.kind === 'SelectQueryNode') {
      const result = reader.run<Row>(query);
      await yieldToOthers(this.#databases);
      return result;
    }
    await this.begin();
    let result: QueryResult<Row>;
    try {
      result = writer.run<Row>(query);
    } catch (error) {
      this.rollback();
      throw error;
    }
    await this.commit();
    return result;
  }

  streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Streaming is not supported: read in pages.');
  }
}

const READS_IN_A_ROW = 100;

/** Reads never wait, so a loop of reads would starve timers, requests and COMMITs. */
async function yieldToOthers(databases: Databases): Promise<void> {
  if (++databases.reads % READS_IN_A_ROW === 0) await setImmediate();
}
