import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type DuckDBConnection, version as duckdbVersion } from '../platform/duckdb.ts';
import type { FactStore } from '../facts/store.ts';
import { type Clock, systemClock } from '@financing-checkout/kit';
import { macros } from './macros.ts';
import { FOLD_VERSION } from '@financing-checkout/reconciliation-rules';
import { metaKeys, SCHEMA_VERSION, tables } from './schema.ts';
import {
  type Database,
  type Lane,
  Session,
  SessionEndedError,
  type SessionOptions,
  spillFolder,
  type Work,
} from './session.ts';

/**
 * `opening`: facts are replayed into an existing file. `rebuilding`: the file is rebuilt from all
 * facts. Queries wait in both states, so they never see partial data.
 */
export type AnalyticsState = 'opening' | 'rebuilding' | 'ready' | 'failed' | 'closed';

export interface AnalyticsStatus {
  state: AnalyticsState;
  /** Reason for a rebuild or failure; undefined: the file is valid. */
  reason: string | undefined;
  /** Milliseconds since 1970. */
  since: number;
}

export interface AnalyticsOptions extends Partial<SessionOptions> {
  file: string;
  facts: Pick<FactStore, 'id' | 'head'>;
  /**
   * Applies pending facts to the database and computes derived data. Runs each time the database
   * opens, before the first query is answered; after a rebuild, it starts with empty tables.
   */
  fill: (database: Database) => Promise<void>;
  /** Called whenever the status changes. */
  onStatus?: (status: AnalyticsStatus) => void;
  clock?: Clock;
}

/** Another process has the file open. */
export class AnalyticsInUseError extends Error {
  override readonly name = 'AnalyticsInUseError';
}

/** The file cannot be compared with the facts because they are unavailable, so the file is kept. */
class FactsAwayError extends Error {
  override readonly name = 'FactsAwayError';
}

/** A database whose revision shows whether its content may have changed. */
export interface RevisedDatabase extends Database {
  /**
   * Returns a number that changes when a write ends, before its caller continues. A query that
   * began and ended at one revision has data that is at least as new as that revision.
   */
  revision(): number;
  /** Returns a number that changes whenever a write begins or ends. */
  writes(): number;
}

/**
 * Thrown when rows of the file were derived from data that the source no longer has, so that the file is
 * rebuilt. The message is the reason.
 */
export class OutdatedFileError extends Error {
  override readonly name = 'OutdatedFileError';
}

/** Reason for a rebuild when there is no file, such as at the first start. */
export const NO_FILE = 'there is no file';
/** Maximum number of attempts at a read or write that a rebuild interrupts. */
const MAX_TRIES = 4;

/** The analytics database. Detects a missing, damaged or foreign file and rebuilds it. */
export class Analytics implements RevisedDatabase {
  /** Database access for background work, whose reads do not delay user queries. */
  readonly passes: RevisedDatabase = {
    read: (work, signal) => this.#read(work, signal, 'passes'),
    write: (work, signal) => this.write(work, signal),
    revision: () => this.revision(),
    writes: () => this.writes(),
  };
  /** Clients' reads of entire tables, one at a time, which do not delay user queries. */
  readonly exports: Pick<RevisedDatabase, 'read' | 'revision'> = {
    read: (work, signal) => this.#read(work, signal, 'exports'),
    revision: () => this.revision(),
  };
  readonly #options: AnalyticsOptions & SessionOptions & { clock: Clock };
  #status: AnalyticsStatus;
  #session: Promise<Session> | undefined;
  #revision = 0;
  #begun = 0;

  private constructor(options: AnalyticsOptions) {
    this.#options = {
      memoryLimit: '256MB',
      spillLimit: '4GB',
      threads: 1,
      readable: [],
      clock: systemClock,
      ...options,
    };
    this.#status = { state: 'opening', reason: undefined, since: this.#options.clock.now() };
  }

  /** @throws {AnalyticsInUseError} */
  static async open(options: AnalyticsOptions): Promise<Analytics> {
    const analytics = new Analytics(options);
    analytics.#session = analytics.#begin();
    await analytics.#session;
    return analytics;
  }

  get status(): AnalyticsStatus {
    return this.#status;
  }

  read<Result>(work: Work<Result>, signal?: AbortSignal): Promise<Result> {
    return this.#read(work, signal, 'questions');
  }

  #read<Result>(work: Work<Result>, signal: AbortSignal | undefined, lane: Lane): Promise<Result> {
    return this.#attempt((session) => session.read(work, signal, lane), signal);
  }

  async write<Result>(work: Work<Result>, signal?: AbortSignal): Promise<Result> {
    this.#begun += 1;
    try {
      return await this.#attempt((session) => session.write(work, signal), signal);
    } finally {
      this.#revision += 1;
    }
  }

  revision(): number {
    return this.#revision;
  }

  writes(): number {
    return this.#begun + this.#revision;
  }

  /** Rebuilds the file as if it were missing. */
  async rebuild(reason: string): Promise<void> {
    const session = await this.#current();
    await this.#replace(session, reason, true);
  }

  async close(): Promise<void> {
    if (this.#status.state === 'closed') return;
    const last = this.#session;
    this.#say('closed');
    await last?.then(
      (session) => session.end(),
      () => undefined,
    );
  }

  async #attempt<Result>(
    run: (session: Session) => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    let broken = 0;
    for (let tries = 1; ; tries++) {
      const session = await unlessAborted(this.#current(), signal);
      try {
        if (session.isInPlace()) return await run(session);
        void this.#replace(session, 'the file was removed or replaced', false);
      } catch (error) {
        if (tries === MAX_TRIES) throw error;
        if (error instanceof SessionEndedError) continue;
        const fault = faultOf(error);
        if (fault === undefined) throw error;
        broken += 1;
        // A fatal error may leave a valid file behind, so only a repeated failure triggers a rebuild.
        void this.#replace(session, fault.reason, fault.damaged || broken > 1);
      }
    }
  }

  async #current(): Promise<Session> {
    if (this.#status.state === 'closed')
      throw new SessionEndedError('The analytics database is closed.');
    // After a failed attempt, the next caller tries again.
    if (this.#status.state === 'failed') this.#session = this.#begin();
    if (!this.#session) throw new Error('The analytics database is not open.');
    return this.#session;
  }

  /** Ends a session and starts the next one, once for all concurrent callers. */
  async #replace(session: Session, reason: string, anew: boolean): Promise<void> {
    if (session.ended) return;
    const ended = session.end();
    this.#say(anew ? 'rebuilding' : 'opening', reason);
    const next = ended.then(() => this.#begin(anew ? reason : undefined));
    next.catch(() => undefined);
    this.#session = next;
    await next;
  }

  /** @param anew reason for discarding the existing file */
  async #begin(anew?: string): Promise<Session> {
    this.#revision += 1;
    try {
      const { session, reason } = await this.#open(anew);
      try {
        this.#say(reason === undefined ? 'opening' : 'rebuilding', reason);
        await this.#options.fill(session);
      } catch (error) {
        await session.end();
        const fault = faultOf(error);
        if (fault === undefined || reason !== undefined) throw error;
        return await this.#begin(fault.reason);
      }
      if (this.#status.state === 'closed') await session.end();
      else this.#say('ready', reason);
      return session;
    } catch (error) {
      this.#say('failed', messageOf(error));
      throw error;
    }
  }

  async #open(anew: string | undefined): Promise<{ session: Session; reason: string | undefined }> {
    const { file } = this.#options;
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    let reason = anew ?? (existsSync(file) ? undefined : NO_FILE);
    if (reason === undefined) {
      try {
        const session = await Session.open(this.#options);
        const head = await this.#options.facts.head().catch(async (error: unknown) => {
          await session.end();
          throw new FactsAwayError('The record store is unavailable.', { cause: error });
        });
        reason = await session
          .read((connection) => this.#reasonAgainst(connection, head))
          .catch(() => 'its tables cannot be read');
        if (reason === undefined) return { session, reason };
        await session.end();
      } catch (error) {
        if (error instanceof FactsAwayError) throw error;
        reason = openFault(error, this.#options.file);
      }
    }
    this.#say('rebuilding', reason);
    for (const path of [file, `${file}.wal`, spillFolder(file)]) {
      await rm(path, { recursive: true, force: true });
    }
    const session = await Session.open(this.#options).catch((error: unknown) => {
      openFault(error, this.#options.file);
      throw error;
    });
    await session.write(async (connection) => {
      await connection.run(tables);
      await connection.run(macros);
      await setMeta(connection, metaKeys.schema, schemaVersion());
      await setMeta(connection, metaKeys.store, this.#options.facts.id);
      await setMeta(connection, metaKeys.applied, '0');
    });
    return { session, reason };
  }

  /**
   * Returns the reason for discarding a file that can be opened; undefined if the file is usable.
   */
  async #reasonAgainst(connection: DuckDBConnection, head: number): Promise<string | undefined> {
    const { facts } = this.#options;
    const schema = await meta(connection, metaKeys.schema);
    if (schema !== schemaVersion()) return 'its tables have another version';
    const store = await meta(connection, metaKeys.store);
    if (store !== facts.id) return 'it was made from another record store';
    const applied = Number(await meta(connection, metaKeys.applied));
    if (!(applied <= head)) return 'it is newer than the record store';
    return undefined;
  }

  #say(state: AnalyticsState, reason?: string): void {
    if (this.#status.state === 'closed') return;
    if (this.#status.state === state && this.#status.reason === reason) return;
    this.#status = { state, reason, since: this.#options.clock.now() };
    this.#options.onStatus?.(this.#status);
  }
}

/**
 * Returns the version of the tables. It includes the DuckDB release, because another one may
 * compute other key hashes.
 */
function schemaVersion(): string {
  return `${SCHEMA_VERSION}.${FOLD_VERSION} ${duckdbVersion()}`;
}

/** Returns the value of a key in table meta. */
export async function meta(connection: DuckDBConnection, key: string): Promise<string | undefined> {
  const found = await connection.runAndReadAll('select value from meta where key = $1', [key]);
  return found.getRows()[0]?.[0] as string | undefined;
}

export async function setMeta(
  connection: DuckDBConnection,
  key: string,
  value: string,
): Promise<void> {
  await connection.run('delete from meta where key = $1', [key]);
  await connection.run('insert into meta values ($1, $2)', [key, value]);
}

/** The last one is of Windows. */
const inUse = /Could not set lock|Conflicting lock|being used by another process/i;
/** Errors that a new file would not fix. */
const ofTheMachine =
  /Permission denied|No space left|Read-only file system|No such file or directory/i;
const ended = /^(FATAL|INTERNAL) Error|database has been invalidated/i;
const damage =
  /Corrupt database|checksum|Could not read enough bytes|not a valid DuckDB|^Serialization Error|failed to deserialize/i;

/** Classifies an error caused by the file; undefined if the file is not the cause. */
function faultOf(error: unknown): { reason: string; damaged: boolean } | undefined {
  const message = messageOf(error);
  if (error instanceof OutdatedFileError) return { reason: message, damaged: true };
  if (damage.test(message)) return { reason: 'the file is damaged', damaged: true };
  if (ended.test(message)) return { reason: 'a fatal error ended the database', damaged: false };
  return undefined;
}

/**
 * Returns the reason why a file cannot be opened. @throws if another file could not be opened
 * either
 */
function openFault(error: unknown, file: string): string {
  const message = messageOf(error);
  if (inUse.test(message)) {
    const [, id] = /PID (\d+)/.exec(message) ?? [];
    const other = id === undefined ? 'another program' : `the process ${id}`;
    throw new AnalyticsInUseError(
      `The analytics database ${file} is open in ${other}. Stop that one, or name another file in RECONCILIATION_ANALYTICS_FILE.`,
    );
  }
  if (ofTheMachine.test(message)) throw error;
  return 'the file cannot be opened';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function unlessAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (!signal) return promise;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
