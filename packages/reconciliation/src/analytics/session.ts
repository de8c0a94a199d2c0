import { statSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { type DuckDBConnection, type DuckDBInstance, openDuckDB } from '../platform/duckdb.ts';
import { Mutex, Semaphore } from '../platform/mutex.ts';

/** Runs statements on a dedicated connection. */
export type Work<Result> = (connection: DuckDBConnection) => Promise<Result>;

/**
 * Purposes of reads. Each has its own connection pool, so that a user's query waits neither for an
 * export nor for background work.
 */
export type Lane = 'questions' | 'passes' | 'exports';

/**
 * Number of connections per lane. Each running statement occupies a thread of libuv's pool, whose
 * size is in `cli/thread-pool.ts`.
 */
const connections: Record<Lane, number> = { questions: 2, passes: 1, exports: 1 };

/** Read and write access to the analytics database. */
export interface Database {
  /**
   * Runs queries concurrently, up to the number of connections of their lane. Work must not wait
   * for other work in the same lane. Queries run again from the start if the file is rebuilt in the
   * meantime.
   * @param signal interrupts the query @throws the reason of the signal
   */
  read<Result>(work: Work<Result>, signal?: AbortSignal): Promise<Result>;
  /**
   * Runs statements in one transaction; transactions run one at a time. Statements run again from
   * the start if the file is rebuilt in the meantime, so they must depend only on the database and
   * the facts.
   * @param signal interrupts the statement; the transaction is rolled back
   */
  write<Result>(work: Work<Result>, signal?: AbortSignal): Promise<Result>;
}

export interface SessionOptions {
  file: string;
  /** Limits for DuckDB's memory and its temporary files on disk. */
  memoryLimit: string;
  spillLimit: string;
  threads: number;
  /** The only folders that statements may read. */
  readable: readonly string[];
  /** Called after the first statement whose data exceeded the memory limit. */
  onSpill?: (() => void) | undefined;
}

/** Milliseconds between two attempts to interrupt a statement. */
const INTERRUPT_MS = 50;

/** The open analytics file. */
export class Session implements Database {
  readonly #instance: DuckDBInstance;
  readonly #writer: DuckDBConnection;
  readonly #identity: string | undefined;
  readonly #file: string;
  readonly #spilledBefore: number | undefined;
  #onSpill: (() => void) | undefined;
  readonly #idle: DuckDBConnection[] = [];
  readonly #busy = new Set<DuckDBConnection>();
  readonly #mutex = new Mutex();
  readonly #lanes = {
    questions: new Semaphore(connections.questions),
    passes: new Semaphore(connections.passes),
    exports: new Semaphore(connections.exports),
  };
  #ended: Promise<void> | undefined;
  #running = 0;
  #onIdle: (() => void) | undefined;

  private constructor(
    { file, onSpill }: SessionOptions,
    instance: DuckDBInstance,
    writer: DuckDBConnection,
  ) {
    this.#file = file;
    this.#identity = identityOf(file);
    this.#spilledBefore = modifiedAt(spillFolder(file));
    this.#onSpill = onSpill;
    this.#instance = instance;
    this.#writer = writer;
  }

  static async open(options: SessionOptions): Promise<Session> {
    const { file, memoryLimit, spillLimit, threads, readable } = options;
    makeNewFilesPrivate();
    await makePrivate(file, 0o600);
    await makePrivate(`${file}.wal`, 0o600);
    await makePrivate(spillFolder(file), 0o700);
    const { instance, connection } = await openDuckDB({
      file,
      memoryLimit,
      threads,
      spill: { folder: spillFolder(file), limit: spillLimit },
      folders: readable,
    });
    return new Session(options, instance, connection);
  }

  get ended(): boolean {
    return this.#ended !== undefined;
  }

  /**
   * Returns whether the path still refers to the open file. Never opens the file, because that
   * would release its lock. Takes microseconds; an asynchronous call would wait until statements
   * release a thread of libuv's pool.
   */
  isInPlace(): boolean {
    return this.#identity !== undefined && identityOf(this.#file) === this.#identity;
  }

  /** @param lane lane whose connections the work uses */
  read<Result>(
    work: Work<Result>,
    signal?: AbortSignal,
    lane: Lane = 'questions',
  ): Promise<Result> {
    return this.#lanes[lane].run(async () => {
      this.#checkGoingOn();
      const connection = this.#idle.pop() ?? (await this.#instance.connect());
      try {
        return await this.#run(connection, (own) => interruptible(own, work, signal), signal);
      } finally {
        if (this.ended) connection.closeSync();
        else this.#idle.push(connection);
      }
    }, signal);
  }

  write<Result>(work: Work<Result>, signal?: AbortSignal): Promise<Result> {
    return this.#mutex.run(async () => {
      this.#checkGoingOn();
      const interruptibly: Work<Result> = (connection) => interruptible(connection, work, signal);
      return this.#run(
        this.#writer,
        (connection) => inTransaction(connection, interruptibly),
        signal,
      );
    }, signal);
  }

  /** Interrupts running work, waits for it to end, and closes the file. */
  end(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #end(): Promise<void> {
    // Interrupts repeatedly: see `interruptible`.
    while (this.#running > 0) {
      for (const connection of this.#busy) connection.interrupt();
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
        setTimeout(resolve, INTERRUPT_MS).unref();
      });
    }
    for (const connection of [...this.#idle, this.#writer]) connection.closeSync();
    this.#instance.closeSync();
  }

  #checkGoingOn(): void {
    if (this.ended) throw new SessionEndedError('The analytics database was closed.');
  }

  async #run<Result>(
    connection: DuckDBConnection,
    work: Work<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    signal?.throwIfAborted();
    this.#busy.add(connection);
    this.#running += 1;
    try {
      return await work(connection);
    } catch (error) {
      signal?.throwIfAborted();
      if (this.ended) throw new SessionEndedError('The analytics database was closed.');
      throw error;
    } finally {
      this.#busy.delete(connection);
      this.#running -= 1;
      if (this.#running === 0) this.#onIdle?.();
      this.#reportSpill();
    }
  }

  #reportSpill(): void {
    if (this.#onSpill === undefined) return;
    // DuckDB creates the folder for its first temporary file, and removes it when it closes.
    if (modifiedAt(spillFolder(this.#file)) === this.#spilledBefore) return;
    this.#onSpill();
    this.#onSpill = undefined;
  }
}

/** The file was closed before or during the work. The work can run again in the next session. */
export class SessionEndedError extends Error {
  override readonly name = 'SessionEndedError';
}

/**
 * Runs statements that a signal can interrupt. Interrupts repeatedly until they end, because a
 * statement that has just started may not have reached the engine, and cannot be interrupted until
 * it has.
 */
async function interruptible<Result>(
  connection: DuckDBConnection,
  work: Work<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal === undefined) return work(connection);
  signal.throwIfAborted();
  let repeating: NodeJS.Timeout | undefined;
  const interrupt = () => {
    connection.interrupt();
    repeating = setTimeout(interrupt, INTERRUPT_MS).unref();
  };
  signal.addEventListener('abort', interrupt, { once: true });
  try {
    return await work(connection);
  } finally {
    signal.removeEventListener('abort', interrupt);
    clearTimeout(repeating);
  }
}

/** Runs statements in one transaction, so that they all see one snapshot of the data. */
export async function inTransaction<Result>(
  connection: DuckDBConnection,
  work: Work<Result>,
): Promise<Result> {
  await connection.run('begin');
  try {
    const result = await work(connection);
    await connection.run('commit');
    return result;
  } catch (error) {
    // After a fatal error ended the instance, there is nothing to roll back.
    await connection.run('rollback').catch(() => undefined);
    throw error;
  }
}

function identityOf(file: string): string | undefined {
  try {
    const { dev, ino } = statSync(file, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/** Returns the folder with temporary files for data that exceeds the memory limit. */
export function spillFolder(file: string): string {
  return `${file}.spill`;
}

function modifiedAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

const ONLY_FOR_THIS_USER = 0o077;

/**
 * Makes each file that the process creates from now on private to its user. Some libraries create
 * files at any time and accept no mode, such as DuckDB with its database, log and temporary files.
 */
function makeNewFilesPrivate(): void {
  process.umask(ONLY_FOR_THIS_USER);
}

/** Makes an existing file or folder private to this user; has no effect if it does not exist. */
async function makePrivate(path: string, mode: 0o600 | 0o700): Promise<void> {
  try {
    await chmod(path, mode);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
