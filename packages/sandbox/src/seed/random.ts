import { createHash } from 'node:crypto';

/**
 * Generates random numbers that depend only on the seed, the same on every machine, with Chris
 * Doty-Humphrey's sfc32. Not for secrets.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** @param seed two 32-bit words @param index number of the generator for that seed */
  constructor([a, b]: readonly [number, number], index: number) {
    this.#a = a;
    this.#b = b ^ Math.floor(index / 0x1_0000_0000);
    this.#c = index | 0;
    // The first numbers of neighboring generators are similar; twelve rounds mix them.
    for (let round = 0; round < 12; round++) this.word();
  }

  /** Returns a 32-bit integer. */
  word(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    this.#c |= 0;
    return sum >>> 0;
  }

  /** Returns a number in [0, 1). */
  fraction(): number {
    return this.word() / 0x1_0000_0000;
  }

  /** Returns an integer in a range, both bounds inclusive. */
  between(from: number, to: number): number {
    return from + Math.floor(this.fraction() * (to - from + 1));
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.between(0, items.length - 1)];
    if (item === undefined) throw new Error('There is nothing to pick from.');
    return item;
  }

  /** Returns hexadecimal digits. */
  hex(length: number): string {
    let text = '';
    while (text.length < length) text += this.word().toString(16).padStart(8, '0');
    return text.slice(0, length);
  }
}

/** Derives the two seed words of {@link Random} from a string. */
export function seedWords(text: string): [number, number] {
  const digest = createHash('sha256').update(text).digest();
  return [digest.readInt32LE(0), digest.readInt32LE(4)];
}
