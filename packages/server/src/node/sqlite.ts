import { closeSync, existsSync, openSync } from 'node:fs';
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
import { type NamedUnit, runUnit, type Units } from '../store/units.ts';
import { BUSY_TIMEOUT_MS, GroupCommit } from './group-commit.ts';
import { openWriter, Statements } from './sqlite-file.ts';
import { UnitThread } from './unit-thread.ts';

/** A dialect that also runs units, without a promise between one statement and the next. */
export interface SqliteDialect extends Dialect {
  units: Units;
}

/**
 * A Kysely dialect over `node:sqlite`. What is committed is on disk (WAL with synchronous=FULL):
 * an attempt is recorded before it is sent, and that has to survive a power cut.
 * @param file a path, or `:memory:`
 */
export function sqliteDialect(file: string): SqliteDialect {
  const driver = new SqliteDriver(file);
  return {
    units: driver,
    createDriver: () => driver,
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
  /** Runs what every checkout writes; a database in memory is for this thread alone. */
  units: UnitThread | undefined;
  /** Sees what is committed, while the writer is in the middle of something. */
  reader: Statements | undefined;
  reads: number;
}

const READS_IN_A_ROW = 100;
class SqliteDriver implements Driver, Units {
  readonly #file: string;
  #open: Databases | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  init(): Promise<void> {
    this.#use();
    return Promise.resolve();
  }

  /** The databases, opened when they are needed first. */
  #use(): Databases {
    if (this.#open) return this.#open;
    const inMemory = this.#file === ':memory:';
    // Session tokens are in it: nobody else on the machine reads it. WAL and SHM follow its mode.
    // Only where there is none: to close a file takes away all locks of this process on it (fcntl(2)),
    // and another process would take itself for the last one, and put away the log that is in use.
    if (!inMemory && !existsSync(this.#file)) closeSync(openSync(this.#file, 'a', 0o600));
    const writer = openWriter(this.#file);
    // Another connection to ":memory:" would be another database.
    const reader = inMemory
      ? undefined
      : new DatabaseSync(this.#file, { timeout: BUSY_TIMEOUT_MS, readOnly: true });
    this.#open = {
      writer: new Statements(writer),
      writes: new GroupCommit(writer),
      units: inMemory ? undefined : new UnitThread(this.#file),
      reader: reader && new Statements(reader),
      reads: 0,
    };
    return this.#open;
  }

  write<Result>(named: NamedUnit<Result>): Promise<Result> {
    const { units, writer, writes } = this.#use();
    if (units) return units.write(named);
    return writes.run(() => runUnit(named.unit, (query) => writer.do(query)));
  }

  async read<Row>(query: CompiledQuery<Row>): Promise<readonly Row[]> {
    return (await readCommitted<Row>(this.#use(), query)).rows;
  }

  close(): Promise<void> {
    return this.destroy();
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
    await open?.units?.close();
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
      return readCommitted(this.#databases, query);
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

async function readCommitted<Row>(
  databases: Databases,
  query: CompiledQuery,
): Promise<QueryResult<Row>> {
  const { reader, writer } = databases;
  if (reader === undefined) {
    // The one connection of a database in memory also sees what is not committed: nobody is told of
    // something that a COMMIT may yet undo.
    return databases.writes.run(() => writer.run<Row>(query));
  }
  const result = reader.run<Row>(query);
  // A loop over reads that are there at once would let no timer, request or COMMIT take place.
  if (++databases.reads % READS_IN_A_ROW === 0) await setImmediate();
  return result;
}
