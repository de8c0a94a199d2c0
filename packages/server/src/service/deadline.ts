import type { Clock } from '@financing-checkout/kit';

/** The time limit of one call, including all retries. */
export class Deadline {
  /**
   * Aborts the work of a transport. The companion's own waits use {@link wait}, at a tenth of the
   * cost.
   */
  readonly signal: AbortSignal;
  /** Clears the timer of a call that ended in time. */
  readonly cancel: () => void;
  #end: () => void = () => undefined;

  /** @param ms time limit in milliseconds from now */
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
   * Waits for one promise at a time, until the deadline at the latest, even if the work ignores the
   * signal.
   */
  wait<Value>(work: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#end = () => reject(new Error('deadline'));
      if (this.passed) this.#end();
      work.then(resolve, reject);
    });
  }
}
