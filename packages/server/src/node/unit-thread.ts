import type { Worker } from 'node:worker_threads';
import { StoreUnavailableError } from '../platform/store-errors.ts';
import type { NamedUnit } from '../store/units.ts';
import { inodeOf } from './group-commit.ts';
import { endThread, startThread } from './thread.ts';

/** What the thread is given when it starts. */
export interface UnitThreadData {
  file: string;
  /** Of the file that this process has opened: by its path there may be another one by now, or none. */
  inode: number | undefined;
}

/** A unit to be run. Those of one moment make a message, as JSON. */
export interface Order {
  id: number;
  name: string;
  input: unknown;
}

/** What became of it. */
export interface Answer {
  id: number;
  result?: unknown;
  error?: SentError;
}

/** An error of SQLite: its codes say whether the database can be used at all. */
export interface SentError {
  message: string;
  code: unknown;
  errcode: unknown;
}

/** It holds the units of a moment and no more. */
const HEAP = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 64 };

/**
 * Runs units in a thread of its own, with a connection of its own: while a COMMIT flushes the disk,
 * which takes most of the time of a write, this thread goes on with other requests. What comes
 * meanwhile is the next transaction. The thread starts with the first unit and stays.
 */
export class UnitThread {
  readonly #file: string;
  readonly #inode: number | undefined;
  #thread: Worker | undefined;
  /** Not sent yet. */
  #orders: Order[] = [];
  readonly #unanswered = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;
  #underWay = false;
  #scheduled = false;

  /** @param file path of the store, which is there */
  constructor(file: string) {
    this.#file = file;
    this.#inode = inodeOf(file);
  }

  /** Resolves when the unit is on disk. What it throws undoes it alone. */
  write<Result>({ name, input }: Omit<NamedUnit<Result>, 'unit'>): Promise<Result> {
    const id = ++this.#lastId;
    const answered = Promise.withResolvers<unknown>();
    this.#unanswered.set(id, answered);
    this.#orders.push({ id, name, input });
    this.#schedule();
    // The unit of this name made it, in the thread.
    return answered.promise as Promise<Result>;
  }

  /** After the requests that have arrived by now: what they write is one transaction. */
  #schedule(): void {
    if (this.#scheduled || this.#underWay) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#send();
    });
  }

  #send(): void {
    if (this.#orders.length === 0) return;
    this.#underWay = true;
    const thread = (this.#thread ??= this.#start());
    // A process does not end in the middle of a write, and does not go on for an idle thread.
    thread.ref();
    thread.postMessage(JSON.stringify(this.#orders));
    this.#orders = [];
  }

  #start(): Worker {
    const thread = startThread<string>({
      main: './unit-thread-main',
      name: 'units',
      data: { file: this.#file, inode: this.#inode } satisfies UnitThreadData,
      heap: HEAP,
      onMessage: (message) => {
        this.#underWay = false;
        thread.unref();
        for (const answer of JSON.parse(message) as Answer[]) this.#settle(answer);
        if (this.#orders.length > 0) this.#schedule();
      },
      onEnd: (error) => this.#fail(thread, error),
    });
    return thread;
  }

  #settle({ id, result, error }: Answer): void {
    const answered = this.#unanswered.get(id);
    this.#unanswered.delete(id);
    if (error === undefined) answered?.resolve(result);
    else answered?.reject(Object.assign(new Error(error.message), error));
  }

  /** Nobody knows whether what was under way is on disk: who waits for it has to ask. */
  #fail(thread: Worker, cause: Error): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    this.#underWay = false;
    this.#orders = [];
    const error = new StoreUnavailableError('The thread that writes has ended.', { cause });
    for (const { reject } of this.#unanswered.values()) reject(error);
    this.#unanswered.clear();
  }

  /** Ends the thread once everything is on disk. */
  async close(): Promise<void> {
    while (this.#unanswered.size > 0) {
      await Promise.allSettled(Array.from(this.#unanswered.values(), ({ promise }) => promise));
    }
    const thread = this.#thread;
    if (!thread) return;
    this.#thread = undefined;
    await endThread(thread, 'stop');
  }
}
