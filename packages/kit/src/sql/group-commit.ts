import { statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { unusableSqlite } from './errors.ts';

/** Milliseconds to wait for another connection that writes. */
export const BUSY_TIMEOUT_MS = 5_000;
/** Milliseconds between two tries on a busy file: a transaction takes about as long. */
const BUSY_PAUSE_MS = 1;

/** Settles the promise of a transaction: it is on disk, or nothing of it is. */
interface Waiter {
  resolve: () => void;
  reject: (error: Error) => void;
}

/**
 * Runs the transactions of the one connection that writes. They take turns, each in a savepoint; those
 * that end within one turn of the event loop share one COMMIT, and with it one flush of the disk. The
 * promise of each resolves after that flush, so sharing it costs no durability.
 */
export class GroupCommit {
  readonly #database: DatabaseSync;
  /** Transactions that wait for their turn. */
  readonly #queue: (() => void)[] = [];
  /** Transactions that have ended and are not on disk. */
  #ended: Waiter[] = [];
  #busy = false;
  /** Whether the group commits when the transaction in progress ends. */
  #due = false;
  #timer: NodeJS.Immediate | undefined;
  /** The inodes of the file and its log at the first write. */
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
    // From here on: transactions that wait behind one another must not wait as long each, in a row.
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

  /** Ends the transaction whose turn it is. Resolves when it is on disk. */
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

  /** Undoes the transaction whose turn it is, and none of those that ended before. */
  rollback(): void {
    try {
      this.#database.exec('rollback to one; release one');
    } catch {
      // After some errors, such as a full disk, SQLite has undone everything by itself. Where it has not, a
      // half-done transaction must not be committed with the rest: the whole group is undone, and each of its transactions rejects.
      if (this.#database.isTransaction) this.#database.exec('rollback');
    }
    this.#passOn();
  }

  /** Resolves when every transaction that was begun is on disk, or cannot be. */
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
        // Immediate: a transaction that reads first and writes later would fail, not wait, when
        // another connection (of another process, of the command line) wrote in between.
        this.#database.exec('begin immediate');
        break;
      } catch (error) {
        if (unusableSqlite(error) !== 'SQLITE_BUSY' || Date.now() > giveUpAt) throw error;
        // SQLite's own way to wait blocks the whole process.
        await setTimeout(BUSY_PAUSE_MS);
      }
    }
    // After the requests that have arrived by now: their writes share the COMMIT.
    this.#timer = setImmediate(() => {
      // A transaction in progress commits the group when it ends.
      if (this.#busy) this.#due = true;
      else this.#commitGroup();
    });
  }

  /** Gives the turn to the next transaction. */
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
   * SQLite goes on with a file that was deleted or replaced: with its connection all of it would be gone.
   * Checked within a transaction, because the log does not exist before it.
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

/** Returns the error that SQLite reports for a moved file, where it notices: without its log it does. */
function movedError(): Error {
  const message =
    'The file of the store, or its log, was moved, replaced or deleted. Restore it, or restart the program.';
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode: 1032 });
}

/** Returns the error of a transaction that SQLite undid by itself, on a full or failing disk. */
function undoneError(): Error {
  const message = 'SQLite has undone the transaction with all that shared it.';
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode: 516 });
}
