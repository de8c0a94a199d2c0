import { addDays } from '../platform/calendar.ts';
import { type ReadWindow, WindowError, type WindowProof, type Windows } from './window.ts';

/** How many windows may fail one after the other before the service is taken to be down. */
const FAILED_IN_A_ROW = 3;
/**
 * Records in memory, of windows that wait for those beside them or are being read, above which no more
 * are read ahead.
 */
const WAITING_RECORDS = 100_000;
/** Windows that are kept for the day that is written: its own, and those beside it. */
const BESIDE = 3;

export type Outcome = ReadWindow | WindowError;

/** Reads windows, some at a time, a little ahead of the days that need them. */
export class WindowReader {
  readonly #windows: Windows;
  readonly #parallel: number;
  readonly #read = new Map<string, Promise<Outcome>>();
  readonly #proofs = new Map<string, WindowProof>();
  #ahead: string[] = [];
  #underWay = 0;
  #waiting = 0;
  /** Of the window that was read last: those under way will have about as many. */
  #expected = 0;
  #failed = 0;
  #why = '';

  /** @param parallel windows that are read at a time */
  constructor(windows: Windows, parallel: number) {
    this.#windows = windows;
    this.#parallel = parallel;
  }

  /** Why nothing more is asked for: one window after the other could not be had. */
  get down(): string | undefined {
    return this.#failed < FAILED_IN_A_ROW ? undefined : `the service gave no pages: ${this.#why}`;
  }

  /** Which windows will be needed, in this order, for these days. */
  plan(days: readonly string[]): void {
    this.#ahead = [...new Set(days.flatMap((day) => [addDays(day, 1), day, addDays(day, -1)]))];
  }

  /** The windows that may hold records of a day. Those that are not needed after it are let go. */
  async around(day: string): Promise<{ own: Outcome; before: Outcome; after: Outcome }> {
    const wanted = [addDays(day, 1), day, addDays(day, -1)].map((near) => this.#window(near));
    this.#readAhead();
    const [after, own, before] = await Promise.all(wanted);
    if (!after || !own || !before) throw new Error('A window is missing.');
    return { own, before, after };
  }

  /** Lets go of windows; their proofs are kept. */
  release(days: readonly string[]): void {
    for (const day of days) {
      const outcome = this.#read.get(day);
      if (!outcome) continue;
      this.#read.delete(day);
      void outcome.then(
        (window) => {
          if (window instanceof WindowError) return undefined;
          this.#waiting -= window.count;
          return this.#windows.free(window);
        },
        () => undefined,
      );
    }
  }

  /** Lets go of all windows, when those under way have come to their end. */
  async end(): Promise<void> {
    this.#ahead = [];
    const left = [...this.#read.values()];
    this.release([...this.#read.keys()]);
    await Promise.allSettled(left);
  }

  /** Days whose windows have other pages now than when they were read. @throws {WindowError} */
  async changedSince(days: readonly string[]): Promise<string[]> {
    const changed: string[] = [];
    for (const day of days) {
      const proof = this.#proofs.get(day);
      if (!proof) continue;
      if (!(await this.#windows.isAsBefore(proof))) changed.push(day);
    }
    return changed;
  }

  #readAhead(): void {
    while (
      this.#ahead.length > 0 &&
      this.down === undefined &&
      this.#underWay < this.#parallel &&
      this.#read.size < this.#parallel + BESIDE &&
      this.#waiting + this.#underWay * this.#expected < WAITING_RECORDS
    ) {
      const day = this.#ahead.shift();
      if (day !== undefined) void this.#window(day);
    }
  }

  #window(day: string): Promise<Outcome> {
    const known = this.#read.get(day);
    if (known) return known;
    this.#ahead = this.#ahead.filter((other) => other !== day);
    this.#underWay += 1;
    const outcome = this.#readOne(day);
    // The day that needs it hears of an error; that none needs it yet, or any more, is no other one.
    outcome.catch(() => undefined);
    this.#read.set(day, outcome);
    return outcome;
  }

  async #readOne(day: string): Promise<Outcome> {
    try {
      if (this.down !== undefined) return new WindowError('failed', this.down);
      const window = await this.#windows.read(day);
      this.#failed = 0;
      this.#expected = window.count;
      this.#waiting += this.#expected;
      this.#proofs.set(day, { day, proof: window.proof });
      return window;
    } catch (error) {
      if (!(error instanceof WindowError)) throw error;
      if (error.state === 'failed') {
        this.#failed += 1;
        this.#why = error.reason;
      }
      return error;
    } finally {
      this.#underWay -= 1;
      this.#readAhead();
    }
  }
}
