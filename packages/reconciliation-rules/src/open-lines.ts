import type { Expectation } from './expectation.ts';
import { Highest } from './highest.ts';

/**
 * Expectations of one kind, in their order, to be found by what is left of them. Always the first one
 * that fits is: found without a look at each, since an order may have many thousands.
 */
export class OpenLines {
  readonly #all: readonly Expectation[];
  readonly #paid: ReadonlyMap<Expectation, number>;
  readonly #mistaken: ReadonlySet<Expectation>;
  readonly #tolerance: number;
  #places: Map<Expectation, number> | undefined;
  /** By amount; those nothing pays yet alone, and all. In both the first one is last. */
  #unpaidOf: Map<number, Expectation[]> | undefined;
  #ofAmount: Map<number, Expectation[]> | undefined;
  /** What may be paid into each, by place. */
  #room: Highest | undefined;
  /** Those nothing pays yet by amount, and the place of each, negative: the first one is the highest. */
  #byAmount: { sorted: Expectation[]; at: Map<Expectation, number>; first: Highest } | undefined;
  /** Before it nothing is unpaid. */
  #unpaidFrom = 0;

  constructor(
    all: readonly Expectation[],
    paid: ReadonlyMap<Expectation, number>,
    mistaken: ReadonlySet<Expectation>,
    tolerance: number,
  ) {
    this.#all = all;
    this.#paid = paid;
    this.#mistaken = mistaken;
    this.#tolerance = tolerance;
  }

  /** Nothing pays it yet, and its amount is this one; be it mistaken. */
  unpaidOf(amount: number): Expectation | undefined {
    this.#unpaidOf ??= byAmount(this.#all.filter((expectation) => !this.#paid.has(expectation)));
    return lastThat(this.#unpaidOf.get(amount), (expectation) => !this.#paid.has(expectation));
  }

  /** Nothing pays it yet, and its amount is this one within tolerance. */
  unpaidAbout(amount: number): Expectation | undefined {
    const { sorted, first } = (this.#byAmount ??= this.#sortByAmount());
    const from = firstThat(sorted, (one) => amount - one.amount <= this.#tolerance);
    const to = firstThat(sorted, (one) => one.amount - amount > this.#tolerance);
    return this.#all[-first.between(from, to)];
  }

  /** As much is left to pay, within tolerance. */
  withLeft(amount: number): Expectation | undefined {
    this.#room ??= new Highest(this.#all.map((expectation) => this.#roomOf(expectation)));
    return this.#all[this.#room.first(amount)];
  }

  /** Nothing pays it yet. */
  unpaid(): Expectation | undefined {
    let next = this.#all[this.#unpaidFrom];
    while (next && !this.#isUnpaid(next)) next = this.#all[++this.#unpaidFrom];
    return next;
  }

  /** Its amount is this one, whatever pays it. */
  ofAmount(amount: number): Expectation | undefined {
    this.#ofAmount ??= byAmount(this.#all);
    return lastThat(this.#ofAmount.get(amount), (expectation) => !this.#mistaken.has(expectation));
  }

  /** More of it is paid. */
  changed(expectation: Expectation): void {
    const at = this.#byAmount?.at.get(expectation);
    if (at !== undefined) this.#byAmount?.first.set(at, -Infinity);
    this.#room?.set(this.#placeOf(expectation), this.#roomOf(expectation));
  }

  /** It is funded under another type. */
  mistake(expectation: Expectation): void {
    this.changed(expectation);
  }

  #isUnpaid(expectation: Expectation): boolean {
    return !this.#paid.has(expectation) && !this.#mistaken.has(expectation);
  }

  #roomOf(expectation: Expectation): number {
    if (this.#mistaken.has(expectation)) return -Infinity;
    return expectation.amount - (this.#paid.get(expectation) ?? 0) + this.#tolerance;
  }

  #placeOf(expectation: Expectation): number {
    this.#places ??= new Map(this.#all.map((one, place) => [one, place]));
    return this.#places.get(expectation) ?? -1;
  }

  #sortByAmount() {
    const sorted = this.#all.filter((expectation) => this.#isUnpaid(expectation));
    sorted.sort((one, other) => one.amount - other.amount);
    const at = new Map(sorted.map((one, place) => [one, place]));
    const first = new Highest(sorted.map((expectation) => -this.#placeOf(expectation)));
    return { sorted, at, first };
  }
}

function byAmount(expectations: readonly Expectation[]): Map<number, Expectation[]> {
  return Map.groupBy(expectations.toReversed(), ({ amount }) => amount);
}

/** What is passed over once is passed over for good. */
function lastThat(
  expectations: Expectation[] | undefined,
  fits: (expectation: Expectation) => boolean,
): Expectation | undefined {
  let last = expectations?.at(-1);
  while (last && !fits(last)) {
    expectations?.pop();
    last = expectations?.at(-1);
  }
  return last;
}

/** The first place from which on all fit; the length, where none does. */
function firstThat(
  expectations: readonly Expectation[],
  fits: (expectation: Expectation) => boolean,
): number {
  let [low, high] = [0, expectations.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const one = expectations[middle];
    if (one && fits(one)) high = middle;
    else low = middle + 1;
  }
  return low;
}
