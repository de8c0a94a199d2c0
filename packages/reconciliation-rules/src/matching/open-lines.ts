import type { Expectation } from '../order/posting.ts';
import { Highest } from './highest.ts';

/**
 * Expectations of one kind, indexed by open amount. Each lookup returns the first match in order
 * without scanning them all, because an order may have many thousands.
 */
export class OpenLines {
  readonly #all: readonly Expectation[];
  readonly #paid: ReadonlyMap<Expectation, number>;
  readonly #mistyped: ReadonlySet<Expectation>;
  readonly #tolerance: number;
  #places: Map<Expectation, number> | undefined;
  /**
   * Unpaid expectations, and all expectations, by amount. The first expectation comes last in its
   * list.
   */
  #unpaidOf: Map<number, Expectation[]> | undefined;
  #ofAmount: Map<number, Expectation[]> | undefined;
  /**
   * Expectations sorted by amount, with their open amount plus tolerance. Equal amounts keep their
   * order.
   */
  #rooms: { sorted: Expectation[]; at: Map<Expectation, number>; room: Highest } | undefined;
  /** Partly paid expectations, by their open amount when added, sorted by amount. */
  #startedOf: Map<number, Expectation[]> | undefined;
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
   * Returns the first partly paid expectation with exactly this open amount; `several` if
   * expectations of different amounts have it.
   */
  startedWith(amount: number): Expectation | 'several' | undefined {
    const started = (this.#startedOf ??= this.#indexStarted()).get(amount) ?? [];
    const isOpen = (one: Expectation | undefined) =>
      one === undefined || (!this.#mistyped.has(one) && this.#openOf(one) === amount);
    // An open amount only decreases, so an expectation that no longer has this one never has it again.
    while (!isOpen(started[0])) started.shift();
    while (!isOpen(started.at(-1))) started.pop();
    const [first] = started;
    return first?.amount === started.at(-1)?.amount ? first : 'several';
  }

  /**
   * Returns the expectation whose open amount is exactly this one, or the first one whose open
   * amount covers it, within tolerance; `several` if expectations of different amounts do.
   */
  withLeft(amount: number): Expectation | 'several' | undefined {
    const started = this.startedWith(amount);
    if (started) return started;
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
    if (this.#startedOf && this.#paid.has(expectation)) {
      this.#addStarted(this.#startedOf, expectation);
    }
  }

  /**
   * Returns the index of the first unpaid expectation from `from` on; the length if there is none.
   */
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
    return this.#openOf(expectation) + this.#tolerance;
  }

  #openOf(expectation: Expectation): number {
    return expectation.amount - (this.#paid.get(expectation) ?? 0);
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

  #indexStarted(): Map<number, Expectation[]> {
    const started = new Map<number, Expectation[]>();
    for (const one of this.#all) if (this.#paid.has(one)) this.#addStarted(started, one);
    return started;
  }

  /** Inserts an expectation among those with its open amount. */
  #addStarted(started: Map<number, Expectation[]>, expectation: Expectation): void {
    const { amount } = expectation;
    const place = this.#placeOf(expectation);
    const open = this.#openOf(expectation);
    const others = started.get(open) ?? [];
    const isAfter = (one: Expectation) =>
      one.amount > amount || (one.amount === amount && this.#placeOf(one) > place);
    others.splice(firstThat(others, isAfter), 0, expectation);
    started.set(open, others);
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

/** Returns the last expectation that fits. Removes those that do not, because they never will again. */
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
