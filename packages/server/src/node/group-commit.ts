import { statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';

/** Milliseconds to wait for another connection that writes. */
export const BUSY_TIMEOUT_MS = 5_000;
/** A transaction takes about as long. */
const BUSY_PAUSE_MS = 1;

/** Who hears how a transaction ended: that it is on disk, or that nothing of it is. */
interface Ended {
  resolve: () => void;
  reject: (error: Error) => void;
}

/** Work that needs no waiting: it is done in one go, with others. */
interface Unit {
  work: () => void;
  ended: Ended;
}

/**
 * The transactions of a connection that writes. They take turns, each in a savepoint; those
 * that end within one turn of the event loop share one COMMIT, and with it one flush of the disk.
 * Each hears that it is committed after that flush and not before, so this costs no durability.
 *
 * What can be done without waiting ({@link run}) is collected and done back to back just before
 * that COMMIT: turn-taking would put a turn of the event loop between one and the next.
 */
export class GroupCommit {
  readonly #database: DatabaseSync;
  /** Who waits for their turn. */
  readonly #queue: (() => void)[] = [];
  /** Whose work is done, but not on disk. */
  #ended: Ended[] = [];
  /** What is to be done in one go before the next COMMIT. */
  #units: Unit[] = [];
  #busy = false;
  #due = false;
  #scheduled = false;

  /** Where it wrote first. */
  #place: string | undefined;
  readonly #savepoint: StatementSync;
  readonly #release: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#savepoint = database.prepare('savepoint one');
    this.#release = database.prepare('release one');
  }

  /**
   * Does work that is one transaction and waits for nothing. Resolves when it is on disk; what it
   * throws undoes it alone. It may be done twice, the first time undone.
   */
  run<Result>(work: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      let result: Result;
      this.add(
        () => {
          result = work();
        },
        { resolve: () => resolve(result), reject },
      );
    });
  }

  /** As {@link run}, for who needs no promise for each. */
  add(work: () => void, ended: Ended): void {
    this.#units.push({ work, ended });
    this.#schedule();
  }

  /** Begins a transaction, once the turn has come. */
  async begin(): Promise<void> {
    await this.#takeTurn();
    try {
      this.#savepoint.run();
    } catch (error) {
      this.#passOn();
      throw error;
    }
  }

  /** Waits for the turn, and begins the group when it is the first one in it. */
  async #takeTurn(): Promise<void> {
    // From here on: those who wait behind one another would else wait as long each, in a row.
    const giveUp = Date.now() + BUSY_TIMEOUT_MS;
    if (this.#busy) await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#busy = true;
    if (this.#database.isTransaction) return;
    try {
      await this.#beginGroup(giveUp);
    } catch (error) {
      this.#passOn();
      throw error;
    }
    this.#schedule();
  }

  /** After the requests that have arrived by now: what they write shares the COMMIT. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#commitSoon();
    });
  }

  async #beginGroup(giveUp: number): Promise<void> {
    for (;;) {
      try {
        // Immediate: a transaction that reads first and writes later would fail, not wait, when
        // another connection (of another thread, of the command line) wrote in between.
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
    this.#undo();
    this.#passOn();
  }

  #undo(): void {
    try {
      this.#database.exec('rollback to one; release one');
    } catch {
      // After some errors, a full disk for one, SQLite has undone everything by itself. When it has
      // not, what is half done must not be committed with the rest. Those that share it hear of it.
      if (this.#database.isTransaction) this.#database.exec('rollback');
    }
  }

  /** Resolves when everything that was begun is on disk, or nothing of it can be. */
  async close(): Promise<void> {
    try {
      await this.begin();
      await this.commit();
    } catch {
      // This one is empty, and whoever shared it hears of it.
    }
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
    else if (this.#database.isTransaction) this.#commitAll();
    else if (this.#units.length > 0) void this.#commitUnits();
  }

  /** Units alone, with no transaction to share: another process may hold the file meanwhile. */
  async #commitUnits(): Promise<void> {
    try {
      await this.#takeTurn();
    } catch (error) {
      this.#fail(
        this.#units.splice(0).map(({ ended }) => ended),
        error,
      );
      return;
    }
    this.#due = true;
    this.#passOn();
  }

  /** Before anybody hears that something is kept. In a transaction, for before it there is no log. */
  #stayInPlace(): void {
    const place = placeOf(this.#database);
    this.#place ??= place;
    if (place !== this.#place) throw movedError();
  }

  #commitAll(): void {
    const ended = this.#ended;
    this.#ended = [];
    this.#due = false;
    // A group that has not begun cannot take them: they have a turn of their own.
    try {
      if (this.#database.isTransaction) ended.push(...this.#doUnits(ended.length > 0));
      if (this.#database.isTransaction) {
        this.#stayInPlace();
        this.#database.exec('commit');
      } else if (ended.length > 0) throw undoneError();
      for (const { resolve } of ended) resolve();
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      this.#fail(ended, error);
    }
    if (this.#units.length > 0) this.#schedule();
  }

  /** Does what has been collected. @returns those that are to be committed */
  #doUnits(shared: boolean): Ended[] {
    const units = this.#units.splice(0);
    // SQLite copies each page that is changed under a savepoint: one for each unit costs as much as
    // the work. Units can be done again, so they go without, and an error undoes them all.
    if (!shared) {
      try {
        for (const { work } of units) work();
        return units.map(({ ended }) => ended);
      } catch {
        if (this.#database.isTransaction) this.#database.exec('rollback');
        try {
          this.#database.exec('begin immediate');
        } catch {
          // Another connection was faster, or the file is gone: they wait for their turn again.
          this.#units.unshift(...units);
          return [];
        }
      }
    }
    const done: Ended[] = [];
    for (const { work, ended } of units) {
      // Outside a transaction a savepoint would be one of its own.
      if (!this.#database.isTransaction) {
        this.#units.push({ work, ended });
        continue;
      }
      try {
        this.#savepoint.run();
        work();
        this.#release.run();
        done.push(ended);
      } catch (error) {
        this.#undo();
        this.#fail([ended], error);
      }
    }
    return done;
  }

  #fail(all: readonly Ended[], error: unknown): void {
    const reason = error instanceof Error ? error : new Error('SQLite could not commit.');
    for (const { reject } of all) reject(reason);
  }
}

/**
 * Which file it is, and which log, by their inodes. SQLite goes on with a file that somebody deleted, or
 * put another one in the place of: with its connection all of it would be gone.
 */
function placeOf(database: DatabaseSync): string {
  const file = database.location();
  if (file === null) return '';
  return [file, `${file}-wal`].map(inodeOf).join(' ');
}

/** Which file a path leads to; undefined for none. */
export function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/** As SQLite says it where it looks: without its log it does. */
export function movedError(): Error {
  const message = 'The file of the store, or its log, was moved, replaced or deleted.';
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode: 1032 });
}

/** SQLite undoes a transaction by itself when its disk is full or fails: nothing of it is there. */
function undoneError(): Error {
  const message = 'SQLite has undone the transaction with all that shared it.';
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode: 516 });
}

/** SQLITE_BUSY, in any of its extended codes. */
function isBusy(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  return typeof error.errcode === 'number' && (error.errcode & 0xff) === 5;
}
