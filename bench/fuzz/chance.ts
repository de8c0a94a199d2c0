/** Seeded random choices, equal on every machine. */
export class Chance {
  #state: number;

  /** @param seeds whole numbers; request 7 of seed 3 does not depend on requests 0 to 6 */
  constructor(...seeds: number[]) {
    this.#state = seeds.reduce(
      (state, seed) => Math.imul(state ^ seed, 0x9e3779b1) + 1,
      0x85ebca6b,
    );
    for (let round = 0; round < 4; round++) this.unit();
  }

  /** Returns a number from 0 up to, but not including, 1 (mulberry32). */
  unit(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Returns a whole number from `low` to `high`, inclusive. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.unit() * (high - low + 1));
  }

  yes(probability: number): boolean {
    return this.unit() < probability;
  }

  of<T>(choices: readonly T[]): T {
    const choice = choices[this.whole(0, choices.length - 1)];
    if (choice === undefined) throw new Error('There is nothing to choose from.');
    return choice;
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.whole(0, 255)));
  }

  /**
   * Returns a string of all kinds of characters: controls, NUL, half surrogates, right-to-left,
   * emoji.
   */
  text(longest = 40): string {
    const unit = this.of([
      () => String.fromCharCode(this.whole(32, 126)),
      () => String.fromCharCode(this.whole(0, 31)),
      () => String.fromCharCode(this.whole(0xd800, 0xdfff)),
      () => String.fromCodePoint(this.whole(0x1f300, 0x1faff)),
      () => String.fromCodePoint(this.whole(0x590, 0x6ff)),
      () => this.of(['\0', '\r\n', '%', '../', "'", '"', '\\', '{{', '${', '\u202e', '\ufeff']),
    ]);
    return Array.from({ length: this.whole(0, longest) }, unit).join('');
  }
}
