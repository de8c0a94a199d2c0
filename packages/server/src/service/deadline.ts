import type { Clock } from '../platform/clock.ts';

/** The end of the time that a call has, all its tries together. */
export class Deadline {
  /** Ends what a transport does. Waits of our own use {@link wait}, which costs a tenth of it. */
  readonly signal: AbortSignal;
  /** For when the call has ended in time. */
  readonly cancel: () => void;
  #end: () => void = () => undefined;

  /** @param ms milliseconds from now */
  constructor(clock: Clock, ms: number) {
    const controller = new AbortController();
    this.signal = controller.signal;
    this.cancel = clock.after(ms, () => {
      controller.abort(new Error('deadline'));
      this.#end();
    });
  }

  get passed(): boolean {
    return this.signal.aborted;
  }

  /**
   * Waits for one thing at a time, and for nothing when the deadline passes: also when the other
   * side does not watch the signal.
   */
  wait<Value>(work: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#end = () => reject(new Error('deadline'));
      if (this.passed) this.#end();
      work.then(resolve, reject);
    });
  }
}
