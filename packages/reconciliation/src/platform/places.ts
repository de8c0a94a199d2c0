import { ProblemError } from './problem.ts';

export interface PlacesOptions {
  /** Maximum number of concurrent uses per token, and overall. */
  ofOne: number;
  ofAll: number;
  /** Advice when a token's limit is reached, and when the overall limit is reached. */
  oneIsFull: string;
  allIsFull: string;
  retryAfterSeconds: number;
}

/** Limits the concurrency of one kind of work, per token and overall. */
export class Places {
  readonly #options: PlacesOptions;
  readonly #taken = new Map<string, number>();
  #inAll = 0;

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /**
   * Occupies a slot until the returned function is called; calling it again has no effect.
   * @param token name of the access token @throws {ProblemError} `rate-limited`, `overloaded`
   */
  take(token: string): () => void {
    const { allIsFull, ofAll, ofOne, oneIsFull, retryAfterSeconds } = this.#options;
    const own = this.#taken.get(token) ?? 0;
    if (own >= ofOne) {
      throw new ProblemError('rate-limited', {
        detail: oneIsFull,
        retrySafe: true,
        retryAfterSeconds,
      });
    }
    if (this.#inAll >= ofAll) {
      throw new ProblemError('overloaded', {
        detail: allIsFull,
        retrySafe: true,
        retryAfterSeconds,
      });
    }
    this.#taken.set(token, own + 1);
    this.#inAll += 1;
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#inAll -= 1;
      const rest = (this.#taken.get(token) ?? 1) - 1;
      if (rest === 0) this.#taken.delete(token);
      else this.#taken.set(token, rest);
    };
  }
}
