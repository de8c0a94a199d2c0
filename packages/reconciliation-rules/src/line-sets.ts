import type { Expectation } from './expectation.ts';

/** Sums that are looked at for one order, so that a large one does not hold up the others. */
const BUDGET = 20_000;

/** The lines that sum to an amount; `several` where more than one set of them does. */
export type LineSet = readonly Expectation[] | 'several' | undefined;

/**
 * Finds the lines that sum exactly to an amount, for a lender that pays several of them at once. Two
 * lines of the same amount make two sets: which of them is paid is not known. Where an order has too
 * many lines to try, none are found.
 */
export class LineSets {
  #left = BUDGET;

  /** @param lines of one kind, unpaid; positive amounts @param amount minor units */
  find(lines: readonly Expectation[], amount: number): LineSet {
    this.#left -= lines.length;
    const smaller = lines.filter((line) => line.amount > 0 && line.amount < amount);
    let rest = smaller.reduce((sum, line) => sum + line.amount, 0);
    if (rest < amount) return undefined;
    // The largest come first: the others can then make up the amount from few sums only.
    smaller.sort((one, other) => other.amount - one.amount);
    let sums = new Map<number, Way>([[0, { isOnly: true }]]);
    for (const line of smaller) {
      rest -= line.amount;
      const next = new Map<number, Way>();
      for (const [sum, way] of sums) {
        if (--this.#left < 0) return undefined;
        const more = sum + line.amount;
        if (sum + rest >= amount) add(next, sum, way);
        if (more <= amount && more + rest >= amount) {
          add(next, more, { line, before: way, isOnly: way.isOnly });
        }
      }
      sums = next;
    }
    const found = sums.get(amount);
    return found && (found.isOnly ? linesOf(found) : 'several');
  }

  /** Whether nothing is tried any more. */
  get isSpent(): boolean {
    return this.#left <= 0;
  }
}

/** A way to a sum: its last line and the way before it. */
interface Way {
  readonly line?: Expectation;
  readonly before?: Way;
  /** Whether no other set of lines has the same sum. */
  readonly isOnly: boolean;
}

function add(sums: Map<number, Way>, sum: number, way: Way): void {
  sums.set(sum, sums.has(sum) ? { ...way, isOnly: false } : way);
}

function linesOf(way: Way): Expectation[] {
  const lines: Expectation[] = [];
  for (let one: Way | undefined = way; one?.line; one = one.before) lines.push(one.line);
  return lines;
}
