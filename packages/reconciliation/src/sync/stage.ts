import { type DuckDBConnection, type DuckDBInstance, openDuckDB } from '../platform/duckdb.ts';
import { Mutex } from '../platform/mutex.ts';
import type { TemporaryFiles } from '../platform/temporary-files.ts';
import { stagedColumns } from './record-sql.ts';

export interface StageOptions {
  files: TemporaryFiles;
  /** @default 384MB */
  memoryLimit?: string | undefined;
  /** @default 1: a second thread mostly waits for the first and costs CPU time */
  threads?: number | undefined;
}

/**
 * Only days with very many fundings need this much: three adjacent days are in memory at about 1.2
 * kB per record, and 384 MB were too little for days with 100,000 records.
 */
const MEMORY_LIMIT = '1536MB';

/** In-memory database that converts pages to rows. */
export class Stage {
  readonly files: TemporaryFiles;
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;
  readonly #mutex = new Mutex();
  #count = 0;

  private constructor(
    files: TemporaryFiles,
    instance: DuckDBInstance,
    connection: DuckDBConnection,
  ) {
    this.files = files;
    this.#instance = instance;
    this.#connection = connection;
  }

  static async open({
    files,
    memoryLimit = MEMORY_LIMIT,
    threads = 1,
  }: StageOptions): Promise<Stage> {
    const { instance, connection } = await openDuckDB({
      memoryLimit,
      threads,
      folders: [files.folder],
    });
    return new Stage(files, instance, connection);
  }

  /** Returns a statement's rows. Statements run one at a time. */
  async rows(sql: string): Promise<unknown[][]> {
    return this.#mutex.run(async () => (await this.#connection.runAndReadAll(sql)).getRows());
  }

  /** Creates a table for staged records. @returns its name */
  async table(): Promise<string> {
    const name = `staged_${this.nextNumber()}`;
    await this.rows(`create table ${name} (${stagedColumns})`);
    return name;
  }

  /** Returns a number that is unique for this stage. */
  nextNumber(): number {
    this.#count += 1;
    return this.#count;
  }

  async drop(table: string): Promise<void> {
    await this.rows(`drop table if exists ${table}`);
  }

  async close(): Promise<void> {
    await this.#mutex.run(() => {
      this.#connection.closeSync();
      this.#instance.closeSync();
      return Promise.resolve();
    });
  }
}
