import type { Clock } from './clock.ts';

/** A fake clock that advances only when a test advances it. */
export class TestClock implements Clock {
  #now: number;
  #setBy = 0;
  readonly #timers = new Set<{ at: number; callback: () => void }>();

  /** @param start milliseconds since the Unix epoch */
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

  /** Advances the clock by `ms` milliseconds and fires the timers that are due. */
  advance(ms: number): void {
    this.#now += ms;
    for (const timer of this.#timers) {
      if (timer.at > this.#now) continue;
      this.#timers.delete(timer);
      timer.callback();
    }
  }
}
