/** A max segment tree that finds the first sufficiently large number in logarithmic time. */
export class Highest {
  readonly #half: number;
  /** A binary tree: each parent, at half the index, holds the larger of its two children. */
  readonly #tree: Float64Array;

  constructor(values: readonly number[]) {
    let half = 1;
    while (half < values.length) half *= 2;
    this.#half = half;
    this.#tree = new Float64Array(2 * half).fill(-Infinity);
    this.#tree.set(values, half);
    for (let at = half - 1; at > 0; at--) this.#raise(at);
  }

  set(place: number, value: number): void {
    let at = this.#half + place;
    this.#tree[at] = value;
    for (at >>= 1; at > 0; at >>= 1) this.#raise(at);
  }

  /** Returns the index of the first number that is at least `least`, or -1. */
  first(least: number): number {
    if (this.#at(1) < least) return -1;
    let at = 1;
    while (at < this.#half) at = this.#at(2 * at) >= least ? 2 * at : 2 * at + 1;
    return at - this.#half;
  }

  /** Returns the highest number from one index up to, but excluding, another. */
  between(from: number, to: number): number {
    let highest = -Infinity;
    let [low, high] = [this.#half + from, this.#half + to];
    for (; low < high; low >>= 1, high >>= 1) {
      if (low % 2 === 1) highest = Math.max(highest, this.#at(low++));
      if (high % 2 === 1) highest = Math.max(highest, this.#at(--high));
    }
    return highest;
  }

  #at(at: number): number {
    return this.#tree[at] ?? -Infinity;
  }

  #raise(at: number): void {
    this.#tree[at] = Math.max(this.#at(2 * at), this.#at(2 * at + 1));
  }
}
