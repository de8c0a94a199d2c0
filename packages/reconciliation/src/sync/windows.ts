import { addDays } from '@financing-checkout/contract/money';
import { type ReadWindow, WindowError, type WindowProof, type Windows } from './window.ts';

/** Number of consecutive failed windows after which the service is considered down. */
const FAILED_IN_A_ROW = 3;
/**
 * Maximum number of records in memory for windows that are being read or wait for adjacent ones.
 * Beyond it, no window is read ahead.
 */
const WAITING_RECORDS = 100_000;
/** Number of windows needed to write a day: its own and the adjacent ones. */
const BESIDE = 3;

export type Outcome = ReadWindow | WindowError;

/** Reads windows concurrently, slightly ahead of the days that need them. */
export class WindowReader {
  readonly #windows: Windows;
  readonly #parallel: number;
  readonly #read = new Map<string, Promise<Outcome>>();
  readonly #proofs = new Map<string, WindowProof>();
  #ahead: string[] = [];
  #running = 0;
  #waiting = 0;
  /** Size of the last window, as an estimate for those being read. */
  #expected = 0;
  #failed = 0;
  #why = '';

  /** @param parallel number of windows to read concurrently */
  constructor(windows: Windows, parallel: number) {
    this.#windows = windows;
    this.#parallel = parallel;
  }

  /** Why nothing more is requested after consecutive windows failed; undefined otherwise. */
  get down(): string | undefined {
    return this.#failed < FAILED_IN_A_ROW ? undefined : `the service is unavailable: ${this.#why}`;
  }

  /** Announces the days whose windows will be needed, in order. */
  plan(days: readonly string[]): void {
    this.#ahead = [...new Set(days.flatMap((day) => [addDays(day, 1), day, addDays(day, -1)]))];
  }

  /**
   * Returns the windows that may contain a day's records. Releases windows that are no longer
   * needed afterward.
   */
  async around(day: string): Promise<{ own: Outcome; before: Outcome; after: Outcome }> {
    const wanted = [addDays(day, 1), day, addDays(day, -1)].map((near) => this.#window(near));
    this.#readAhead();
    const [after, own, before] = await Promise.all(wanted);
    if (!after || !own || !before) throw new Error('A window is missing.');
    return { own, before, after };
  }

  /** Releases windows, keeping their proofs. */
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

  /** Releases all windows after running reads have ended. */
  async end(): Promise<void> {
    this.#ahead = [];
    const left = [...this.#read.values()];
    this.release([...this.#read.keys()]);
    await Promise.allSettled(left);
  }

  /** Returns the days whose windows have changed since they were read. @throws {WindowError} */
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
      this.#running < this.#parallel &&
      this.#read.size < this.#parallel + BESIDE &&
      this.#waiting + this.#running * this.#expected < WAITING_RECORDS
    ) {
      const day = this.#ahead.shift();
      if (day !== undefined) void this.#window(day);
    }
  }

  #window(day: string): Promise<Outcome> {
    const known = this.#read.get(day);
    if (known) return known;
    this.#ahead = this.#ahead.filter((other) => other !== day);
    this.#running += 1;
    const outcome = this.#readOne(day);
    // The day that needs the window receives the error. Nothing else awaits this promise.
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
      this.#running -= 1;
      this.#readAhead();
    }
  }
}
