import { ProblemError } from './problem.ts';

export interface PlacesOptions {
  /** Maximum number at the same time for one token, and for all. */
  ofOne: number;
  ofAll: number;
  /** What to do above the limit of a token, and of all. */
  oneIsFull: string;
  allIsFull: string;
  retryAfterSeconds: number;
}

/** Limits how much of one kind of work each token, and all together, have at the same time. */
export class Places {
  readonly #options: PlacesOptions;
  readonly #taken = new Map<string, number>();
  #inAll = 0;

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /**
   * Takes a place until the returned function is called; a second call has no effect.
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
