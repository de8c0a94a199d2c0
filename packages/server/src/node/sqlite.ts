import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';

/**
 * A Kysely dialect over `node:sqlite`. What is committed is on disk (WAL with synchronous=FULL):
 * an attempt is recorded before it is sent, and that has to survive a power cut.
 * @param file a path, or `:memory:`
 */
export function sqliteDialect(file: string): Dialect {
  return {
    createDriver: () => new SqliteDriver(file),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

class SqliteDriver implements Driver {
  readonly #file: string;
  #database: DatabaseSync | undefined;
  #connection: SqliteConnection | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  init(): Promise<void> {
    const database = new DatabaseSync(this.#file, { timeout: 5_000 });
    database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
    this.#database = database;
    this.#connection = new SqliteConnection(database);
    return Promise.resolve();
  }

  acquireConnection(): Promise<DatabaseConnection> {
    if (!this.#connection) return Promise.reject(new Error('The SQLite store is not open.'));
    return Promise.resolve(this.#connection);
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    // Immediate: a transaction that reads first and writes later would fail, not wait, when
    // another process (a second companion, the command line) wrote in between.
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('rollback'));
  }

  releaseConnection(): Promise<void> {
    return Promise.resolve();
  }

  destroy(): Promise<void> {
    this.#database?.close();
    this.#database = undefined;
    this.#connection = undefined;
    return Promise.resolve();
  }
}

interface Prepared {
  statement: StatementSync;
  returnsRows: boolean;
}

/** There are some thirty statements; the limit only guards against a caller that builds more. */
const MAX_PREPARED = 500;

class SqliteConnection implements DatabaseConnection {
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

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      const { statement, returnsRows } = this.#prepare(query.sql);
      const parameters = query.parameters as readonly SQLInputValue[];
      if (returnsRows) return Promise.resolve({ rows: statement.all(...parameters) as Row[] });
      const { changes, lastInsertRowid } = statement.run(...parameters);
      return Promise.resolve({
        rows: [],
        numAffectedRows: BigInt(changes),
        insertId: BigInt(lastInsertRowid),
      });
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error('SQLite failed.'));
    }
  }

  streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Streaming is not supported: read in pages.');
  }
}
