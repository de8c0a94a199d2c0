import type { Expectation } from '../order/posting.ts';

/** Maximum number of sums to try per order, so that a large order does not delay the others. */
const BUDGET = 20_000;

/** The lines that sum to an amount; `several` if more than one set does. */
export type LineSet = readonly Expectation[] | 'several' | undefined;

/**
 * Finds the lines that sum to an amount, for lenders that pay several lines at once. Two equal
 * lines that are interchangeable in a set count as two sets. Gives up on an order with too many
 * combinations.
 */
export class LineSets {
  #left = BUDGET;

  /**
   * Finds the set. A line that is within tolerance of the amount on its own is in no set.
   * @param lines unpaid, of one kind
   * @param amount minor units
   * @param tolerance maximum difference between the amount and the sum of the set, in minor units
   */
  find(lines: readonly Expectation[], amount: number, tolerance: number): LineSet {
    this.#left -= lines.length;
    const [least, most] = [amount - tolerance, amount + tolerance];
    const smaller = lines.filter((line) => line.amount > 0 && line.amount < least);
    let rest = smaller.reduce((sum, line) => sum + line.amount, 0);
    if (smaller.length < 2 || rest < least) return undefined;
    // Largest lines first, so that the remaining lines can reach the amount through few sums.
    smaller.sort((one, other) => other.amount - one.amount);
    let sums = new Map<number, Way>([[0, { isOnly: true }]]);
    for (const line of smaller) {
      rest -= line.amount;
      const next = new Map<number, Way>();
      for (const [sum, way] of sums) {
        if (--this.#left < 0) return undefined;
        const more = sum + line.amount;
        if (sum + rest >= least) add(next, sum, way);
        if (more <= most && more + rest >= least) {
          add(next, more, { line, before: way, isOnly: way.isOnly });
        }
      }
      sums = next;
    }
    // The remaining sums are all within tolerance.
    const [found, another] = sums.values();
    return found && (found.isOnly && !another ? linesOf(found) : 'several');
  }

  /** Whether the maximum number of sums has been reached. */
  get isSpent(): boolean {
    return this.#left <= 0;
  }
}

/** A combination of lines that reaches a sum: its last line and the combination before it. */
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
