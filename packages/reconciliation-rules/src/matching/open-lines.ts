import type { Expectation } from '../order/expectation.ts';
import { Highest } from './highest.ts';

/**
 * Expectations of one kind, indexed by open amount. Each lookup returns the first match in order
 * without scanning all, because an order may have many thousands.
 */
export class OpenLines {
  readonly #all: readonly Expectation[];
  readonly #paid: ReadonlyMap<Expectation, number>;
  readonly #mistyped: ReadonlySet<Expectation>;
  readonly #tolerance: number;
  #places: Map<Expectation, number> | undefined;
  /**
   * Indexes by amount: of unpaid expectations, and of all. In both, the first expectation is at the
   * end of its list.
   */
  #unpaidOf: Map<number, Expectation[]> | undefined;
  #ofAmount: Map<number, Expectation[]> | undefined;
  /**
   * Expectations sorted by amount, with their open amount plus tolerance. Equal amounts keep their
   * order.
   */
  #rooms: { sorted: Expectation[]; at: Map<Expectation, number>; room: Highest } | undefined;
  /**
   * Unpaid expectations sorted by amount, with their negated indexes: the highest value is the
   * first expectation.
   */
  #byAmount: { sorted: Expectation[]; at: Map<Expectation, number>; first: Highest } | undefined;
  /** All expectations before this index are paid. */
  #unpaidFrom = 0;
  /** At most one expectation before this index is unpaid. */
  #nextUnpaidFrom = 0;

  constructor(
    all: readonly Expectation[],
    paid: ReadonlyMap<Expectation, number>,
    mistyped: ReadonlySet<Expectation>,
    tolerance: number,
  ) {
    this.#all = all;
    this.#paid = paid;
    this.#mistyped = mistyped;
    this.#tolerance = tolerance;
  }

  /** Returns the first unpaid expectation of exactly this amount, even if a wrong type funds it. */
  unpaidOf(amount: number): Expectation | undefined {
    this.#unpaidOf ??= byAmount(this.#all.filter((expectation) => !this.#paid.has(expectation)));
    return lastThat(this.#unpaidOf.get(amount), (expectation) => !this.#paid.has(expectation));
  }

  /** Returns the first unpaid expectation of this amount within tolerance. */
  unpaidAbout(amount: number): Expectation | undefined {
    const { sorted, first } = (this.#byAmount ??= this.#sortByAmount());
    const from = firstThat(sorted, (one) => amount - one.amount <= this.#tolerance);
    const to = firstThat(sorted, (one) => one.amount - amount > this.#tolerance);
    return this.#all[-first.between(from, to)];
  }

  /**
   * Returns the first expectation whose open amount covers this one, within tolerance; `several` if
   * expectations of different amounts do.
   */
  withLeft(amount: number): Expectation | 'several' | undefined {
    const { sorted, room } = (this.#rooms ??= this.#sortByRoom());
    const found = sorted[room.first(amount)];
    if (!found) return undefined;
    const larger = firstThat(sorted, (one) => one.amount > found.amount);
    return room.between(larger, sorted.length) >= amount ? 'several' : found;
  }

  /** Returns the unpaid expectation if there is exactly one. */
  onlyUnpaid(): Expectation | undefined {
    this.#unpaidFrom = this.#unpaidAt(this.#unpaidFrom);
    this.#nextUnpaidFrom = this.#unpaidAt(Math.max(this.#nextUnpaidFrom, this.#unpaidFrom + 1));
    return this.#nextUnpaidFrom < this.#all.length ? undefined : this.#all[this.#unpaidFrom];
  }

  /** Returns the first expectation of this amount, paid or unpaid. */
  ofAmount(amount: number): Expectation | undefined {
    this.#ofAmount ??= byAmount(this.#all);
    return lastThat(this.#ofAmount.get(amount), (expectation) => !this.#mistyped.has(expectation));
  }

  /** Updates the indexes after a payment, or after a wrong type funds the expectation. */
  update(expectation: Expectation): void {
    const at = this.#byAmount?.at.get(expectation);
    if (at !== undefined) this.#byAmount?.first.set(at, -Infinity);
    const place = this.#rooms?.at.get(expectation);
    if (place !== undefined) this.#rooms?.room.set(place, this.#roomOf(expectation));
  }

  /** Returns the index of the first unpaid expectation from `from` on; the length if there is none. */
  #unpaidAt(from: number): number {
    let at = from;
    for (let one = this.#all[at]; one && !this.#isUnpaid(one); one = this.#all[at]) at += 1;
    return Math.min(at, this.#all.length);
  }

  #isUnpaid(expectation: Expectation): boolean {
    return !this.#paid.has(expectation) && !this.#mistyped.has(expectation);
  }

  #roomOf(expectation: Expectation): number {
    if (this.#mistyped.has(expectation)) return -Infinity;
    return expectation.amount - (this.#paid.get(expectation) ?? 0) + this.#tolerance;
  }

  #placeOf(expectation: Expectation): number {
    this.#places ??= new Map(this.#all.map((one, place) => [one, place]));
    return this.#places.get(expectation) ?? -1;
  }

  #sortByRoom() {
    const sorted = this.#all.toSorted((one, other) => one.amount - other.amount);
    const at = new Map(sorted.map((one, place) => [one, place]));
    const room = new Highest(sorted.map((expectation) => this.#roomOf(expectation)));
    return { sorted, at, room };
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

/** Returns the last expectation that fits and removes those that do not: they never fit again. */
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

/** Returns the first index from which all expectations fit; the length if none does. */
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
