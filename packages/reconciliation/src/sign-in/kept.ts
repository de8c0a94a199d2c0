import type { Clock } from '@financing-checkout/kit';

/** An answer is read at most this often, also one that failed, in milliseconds. */
const REREAD_MS = 5_000;

/**
 * An answer of the provider that is kept. Callers share one request, and a failed one is not
 * repeated at once: strangers cause requests, and must not cause one each.
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

  /** Returns the answer that is there now, unless it was read a moment ago. */
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
