import type { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';

/** Milliseconds to wait for another process that writes. */
export const BUSY_TIMEOUT_MS = 5_000;
const BUSY_PAUSE_MS = 5;

interface Ended {
  resolve: () => void;
  reject: (error: Error) => void;
}

/**
 * The transactions of the one connection that writes. They take turns, each in a savepoint; those
 * that end within one turn of the event loop share one COMMIT, and with it one flush of the disk.
 * Each hears that it is committed after that flush and not before, so this costs no durability.
 */
export class GroupCommit {
  readonly #database: DatabaseSync;
  /** Who waits for their turn. */
  readonly #queue: (() => void)[] = [];
  /** Whose work is done, but not on disk. */
  #ended: Ended[] = [];
  #busy = false;
  #due = false;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Begins a transaction, once the turn has come. */
  async begin(): Promise<void> {
    if (this.#busy) await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#busy = true;
    try {
      if (!this.#database.isTransaction) {
        await this.#beginGroup();
        // After the requests that have arrived by now: what they write shares the COMMIT.
        setImmediate(() => this.#commitSoon());
      }
      this.#database.exec('savepoint one');
    } catch (error) {
      this.#passOn();
      throw error;
    }
  }

  async #beginGroup(): Promise<void> {
    const giveUp = Date.now() + BUSY_TIMEOUT_MS;
    for (;;) {
      try {
        // Immediate: a transaction that reads first and writes later would fail, not wait, when
        // another process (a second companion, the command line) wrote in between.
        this.#database.exec('begin immediate');
        return;
      } catch (error) {
        if (!isBusy(error) || Date.now() > giveUp) throw error;
        // SQLite's own way to wait holds up everything else in the process.
        await setTimeout(BUSY_PAUSE_MS);
      }
    }
  }

  /** Ends the transaction whose turn it is. Resolves when it is on disk. */
  async commit(): Promise<void> {
    try {
      this.#database.exec('release one');
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
      // After some errors, a full disk for one, SQLite has undone everything by itself. When it has
      // not, what is half done must not be committed with the rest. Those that share it hear of it.
      if (this.#database.isTransaction) this.#database.exec('rollback');
    }
    this.#passOn();
  }

  /** Resolves when everything that was begun is on disk. */
  async close(): Promise<void> {
    await this.begin();
    await this.commit();
  }

  #passOn(): void {
    if (this.#due || !this.#database.isTransaction) this.#commitAll();
    const next = this.#queue.shift();
    if (next) next();
    else this.#busy = false;
  }

  /** Not in the middle of a transaction: then it is done when that one ends. */
  #commitSoon(): void {
    if (this.#busy) this.#due = true;
    else this.#commitAll();
  }

  #commitAll(): void {
    const ended = this.#ended;
    this.#ended = [];
    this.#due = false;
    try {
      // Fails when SQLite has undone the transaction: nothing of it is on disk then.
      this.#database.exec('commit');
      for (const { resolve } of ended) resolve();
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      const reason = error instanceof Error ? error : new Error('SQLite could not commit.');
      for (const { reject } of ended) reject(reason);
    }
  }
}

/** SQLITE_BUSY, in any of its extended codes. */
function isBusy(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  return typeof error.errcode === 'number' && (error.errcode & 0xff) === 5;
}
