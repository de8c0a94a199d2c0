/** Numbers in a row, of which the first that is large enough is found without a look at each. */
export class Highest {
  readonly #half: number;
  /** A tree: of each two numbers the larger one is at half their place. */
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

  /** The first place with a number of `least` or more; -1: there is none. */
  first(least: number): number {
    if (this.#at(1) < least) return -1;
    let at = 1;
    while (at < this.#half) at = this.#at(2 * at) >= least ? 2 * at : 2 * at + 1;
    return at - this.#half;
  }

  /** The highest number from one place up to another, which is not in it. */
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
