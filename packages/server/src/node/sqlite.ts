import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
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
import { BUSY_TIMEOUT_MS, GroupCommit } from './group-commit.ts';

/**
 * A Kysely dialect over `node:sqlite`. What is committed is on disk (WAL with synchronous=FULL):
 * an attempt is recorded before it is sent, and that has to survive a power cut.
 * @param file a path, or `:memory:`
 */
export function sqliteDialect(file: string): Dialect {
  return {
    createDriver: () => new SqliteDriver(file),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new TransactionalAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/** Kysely's own takes SQLite for a database with one user: it migrates without a transaction. */
class TransactionalAdapter extends SqliteAdapter {
  /** All pending migrations or none, and one process at a time. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** The driver lets writers take turns by itself. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

interface Databases {
  writer: Statements;
  writes: GroupCommit;
  /** Sees what is committed, while the writer is in the middle of something. */
  reader: Statements | undefined;
  reads: number;
}

const READS_IN_A_ROW = 100;

class SqliteDriver implements Driver {
  readonly #file: string;
  #open: Databases | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  init(): Promise<void> {
    const inMemory = this.#file === ':memory:';
    // Session tokens are in it: nobody else on the machine reads it. WAL and SHM follow its mode.
    if (!inMemory) closeSync(openSync(this.#file, 'a', 0o600));
    const writer = new DatabaseSync(this.#file, { timeout: BUSY_TIMEOUT_MS });
    writer.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
    // From here on those who wait for the file let others work meanwhile.
    writer.exec('pragma busy_timeout = 0');
    // Another connection to ":memory:" would be another database.
    const reader = inMemory
      ? undefined
      : new DatabaseSync(this.#file, { timeout: BUSY_TIMEOUT_MS, readOnly: true });
    this.#open = {
      writer: new Statements(writer),
      writes: new GroupCommit(writer),
      reader: reader && new Statements(reader),
      reads: 0,
    };
    return Promise.resolve();
  }

  acquireConnection(): Promise<SqliteConnection> {
    if (!this.#open) return Promise.reject(new Error('The SQLite store is not open.'));
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

/** One user of the databases: in a transaction, or with statements that are one each. */
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

  /** Also called after a COMMIT that failed, when it is somebody else's turn. */
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
      // A loop over reads that are there at once would let no timer, request or COMMIT take place.
      if (++this.#databases.reads % READS_IN_A_ROW === 0) await setImmediate();
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

interface Prepared {
  statement: StatementSync;
  returnsRows: boolean;
}

/** There are some fifty statements; the limit only guards against a caller that builds more. */
const MAX_PREPARED = 500;

/** A database with the statements that were prepared for it. */
class Statements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    const prepared = { statement, returnsRows: statement.columns().length > 0 };
    if (this.#prepared.size >= MAX_PREPARED) this.#prepared.clear();
    this.#prepared.set(sql, prepared);
    return prepared;
  }

  run<Row>(query: CompiledQuery): QueryResult<Row> {
    const { statement, returnsRows } = this.#prepare(query.sql);
    const parameters = query.parameters as readonly SQLInputValue[];
    if (returnsRows) return { rows: statement.all(...parameters) as Row[] };
    const { changes, lastInsertRowid } = statement.run(...parameters);
    return {
      rows: [],
      numAffectedRows: BigInt(changes),
      insertId: BigInt(lastInsertRowid),
    };
  }

  close(): void {
    this.#database.close();
  }
}
