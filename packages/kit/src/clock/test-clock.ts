import type { Clock } from './clock.ts';

/** A clock for tests: it moves only when a test moves it. */
export class TestClock implements Clock {
  #now: number;
  #setBy = 0;
  readonly #timers = new Set<{ at: number; callback: () => void }>();

  /** @param start milliseconds since 1970 */
  constructor(start = Date.UTC(2026, 10, 20, 12)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms, callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  steady(): number {
    return this.#now - this.#setBy;
  }

  /** Sets the clock: no time passes and no timer fires. */
  set(ms: number): void {
    this.#setBy += ms;
    this.#now += ms;
    for (const timer of this.#timers) timer.at += ms;
  }

  /** Lets `ms` milliseconds pass and calls the timers that are due. */
  advance(ms: number): void {
    this.#now += ms;
    for (const timer of this.#timers) {
      if (timer.at > this.#now) continue;
      this.#timers.delete(timer);
      timer.callback();
    }
  }
}
