import { statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { unusableSqlite } from './errors.ts';

/** Milliseconds to wait for another connection's write lock. */
export const BUSY_TIMEOUT_MS = 5_000;
/** Milliseconds between retries on a busy file, about the duration of a transaction. */
const BUSY_PAUSE_MS = 1;

/** Settles a transaction's promise: either the whole transaction is on disk or none of it is. */
interface Waiter {
  resolve: () => void;
  reject: (error: Error) => void;
}

/**
 * Runs the transactions of the single write connection one at a time, each in a savepoint.
 * Transactions that end within one turn of the event loop share one COMMIT and therefore one disk
 * flush. Each promise resolves only after that flush, so group commit costs no durability.
 */
export class GroupCommit {
  readonly #database: DatabaseSync;
  readonly #queue: (() => void)[] = [];
  /** Transactions that have ended but are not on disk yet. */
  #ended: Waiter[] = [];
  #busy = false;
  /** Whether the group is committed as soon as the active transaction ends. */
  #due = false;
  #timer: NodeJS.Immediate | undefined;
  /** The inodes of the file and its WAL at the first write. */
  #inodes: string | undefined;
  readonly #savepoint: StatementSync;
  readonly #release: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#savepoint = database.prepare('savepoint one');
    this.#release = database.prepare('release one');
  }

  /** Begins a transaction when its turn comes. */
  async begin(): Promise<void> {
    // Measured from here: queued transactions must not each wait the full timeout in turn.
    const giveUpAt = Date.now() + BUSY_TIMEOUT_MS;
    if (this.#busy) await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#busy = true;
    try {
      if (!this.#database.isTransaction) await this.#beginGroup(giveUpAt);
      this.#savepoint.run();
    } catch (error) {
      this.#passOn();
      throw error;
    }
  }

  /** Ends the active transaction. Resolves when the transaction is on disk. */
  async commit(): Promise<void> {
    try {
      this.#release.run();
    } catch (error) {
      this.rollback();
      throw error;
    }
    const onDisk = new Promise<void>((resolve, reject) => this.#ended.push({ resolve, reject }));
    this.#passOn();
    await onDisk;
  }

  /** Rolls back the active transaction, but not those that ended earlier. */
  rollback(): void {
    try {
      this.#database.exec('rollback to one; release one');
    } catch {
      // After some errors, such as a full disk, SQLite has rolled back everything on its own. If it
      // has not, a partial transaction must not be committed with the rest: the whole group is
      // rolled back, and each of its transactions rejects.
      if (this.#database.isTransaction) this.#database.exec('rollback');
    }
    this.#passOn();
  }

  /** Resolves when every transaction that was begun is on disk or has failed. */
  async close(): Promise<void> {
    try {
      await this.begin();
      await this.commit();
    } catch {
      // This transaction is empty; those that share its COMMIT get the error.
    }
  }

  async #beginGroup(giveUpAt: number): Promise<void> {
    for (;;) {
      try {
        // Immediate: a transaction that reads first and writes later would fail instead of waiting
        // if another connection (another process, or the CLI) wrote in between.
        this.#database.exec('begin immediate');
        break;
      } catch (error) {
        if (unusableSqlite(error) !== 'SQLITE_BUSY' || Date.now() > giveUpAt) throw error;
        // SQLite's own busy timeout blocks the whole process.
        await setTimeout(BUSY_PAUSE_MS);
      }
    }
    // Runs after the requests that have already arrived, so that their writes share the COMMIT.
    this.#timer = setImmediate(() => {
      // A transaction in progress commits the group when it ends.
      if (this.#busy) this.#due = true;
      else this.#commitGroup();
    });
  }

  /** Starts the next transaction. */
  #passOn(): void {
    if (this.#due || !this.#database.isTransaction) this.#commitGroup();
    const next = this.#queue.shift();
    if (next) next();
    else this.#busy = false;
  }

  #commitGroup(): void {
    const ended = this.#ended;
    this.#ended = [];
    this.#due = false;
    clearImmediate(this.#timer);
    try {
      if (this.#database.isTransaction) {
        this.#refuseMovedFile();
        this.#database.exec('commit');
      } else if (ended.length > 0) throw undoneError();
      for (const { resolve } of ended) resolve();
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      const reason = error instanceof Error ? error : new Error('SQLite could not commit.');
      for (const { reject } of ended) reject(reason);
    }
  }

  /**
   * SQLite keeps writing to a file that was deleted or replaced, and those writes would be lost
   * when the connection closes. Checked within a transaction, because the WAL does not exist
   * before.
   */
  #refuseMovedFile(): void {
    const file = this.#database.location();
    if (file === null) return;
    const inodes = [file, `${file}-wal`].map(inodeOf).join(' ');
    this.#inodes ??= inodes;
    if (inodes !== this.#inodes) throw movedError();
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/**
 * Returns the error that SQLite itself reports when it detects a moved file, for example by a
 * missing WAL.
 */
function movedError(): Error {
  const message =
    'The file of the store, or its log, was moved, replaced or deleted. Restore it, or restart the program.';
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode: 1032 });
}

/** Returns the error of a transaction that SQLite itself rolled back, on a full or failing disk. */
function undoneError(): Error {
  const message = 'SQLite has undone the transaction with all that shared it.';
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode: 516 });
}
