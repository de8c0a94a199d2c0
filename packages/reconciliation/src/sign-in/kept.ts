import type { Clock } from '@financing-checkout/kit';

/** Minimum interval between two requests, even after a failure, in milliseconds. */
const REREAD_MS = 5_000;

/**
 * A cached answer from the provider. Callers share one request, and a failed request is not
 * repeated at once: unauthenticated callers can trigger requests, and must not trigger one each.
 */
export class Kept<Answer> {
  readonly #read: () => Promise<Answer>;
  readonly #clock: Clock;
  readonly #lastingMs: number;
  #last: { at: number; answer: Promise<Answer>; hasFailed: boolean } | undefined;

  constructor(read: () => Promise<Answer>, clock: Clock, lastingMs: number) {
    this.#read = read;
    this.#clock = clock;
    this.#lastingMs = lastingMs;
  }

  get(): Promise<Answer> {
    return this.#within(this.#last?.hasFailed === true ? REREAD_MS : this.#lastingMs);
  }

  /** Returns a fresh answer, unless the last one was requested a moment ago. */
  renewed(): Promise<Answer> {
    return this.#within(REREAD_MS);
  }

  #within(ms: number): Promise<Answer> {
    const age = this.#clock.now() - (this.#last?.at ?? 0);
    if (this.#last !== undefined && age >= 0 && age < ms) return this.#last.answer;
    const last = { at: this.#clock.now(), answer: this.#read(), hasFailed: false };
    last.answer.catch(() => (last.hasFailed = true));
    this.#last = last;
    return last.answer;
  }
}
