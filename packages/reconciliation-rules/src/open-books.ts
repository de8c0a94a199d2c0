import { type Books, type Expectation, joinExpectations } from './expectation.ts';
import { type LineSet, LineSets } from './line-sets.ts';
import { OpenLines } from './open-lines.ts';
import type { Posting } from './posting.ts';

type Kind = Expectation['kind'];

/** What is left to pay of each expectation while the tiers go on. */
export class OpenBooks {
  readonly #books: Books;
  readonly #tolerance: number;
  readonly #paid = new Map<Expectation, number>();
  readonly #mistaken = new Set<Expectation>();
  readonly #sets = new LineSets();
  /** Made when they are first asked for: most orders never come to that. */
  readonly #lines = new Map<Kind, OpenLines>();

  constructor(books: Books, postings: readonly Posting[], tolerance: number) {
    this.#books = books;
    this.#tolerance = tolerance;
    for (const { expectation, amount } of postings) {
      if (expectation) this.#pay(expectation, amount);
    }
  }

  /**
   * The line whose id a funding carries under another type, while nothing else pays that line. What is
   * of a type that nobody knows pays nothing: the line is awaited, and missing when it is late. A
   * chargeback names its settle by nature, and of another amount it is what it says; a refund of status
   * CHARGEBACK is one, whichever id it carries.
   */
  namedBy(posting: Posting): Expectation | undefined {
    const { kind, amount, transactionId, merchantTransactionId } = posting;
    if (kind === 'none' || kind === 'unknown' || isRefundTaken(posting)) return undefined;
    for (const type of ['settle', 'refund'] as const) {
      if (type === kind) continue;
      const { byTransaction, byMerchantTransaction } = this.#books;
      const found =
        (transactionId === undefined ? undefined : byTransaction[type].get(transactionId)) ??
        (merchantTransactionId === undefined
          ? undefined
          : byMerchantTransaction[type].get(merchantTransactionId));
      if (!found || this.#paid.has(found)) continue;
      const isPayment = kind === 'settle' || kind === 'refund';
      if (isPayment || Math.abs(amount - found.amount) <= this.#tolerance) return found;
    }
    return undefined;
  }

  /** A line that is funded under another type is no longer matched by its amount, unless exactly. */
  mistaken(expectation: Expectation): void {
    this.#mistaken.add(expectation);
    this.#lines.get(expectation.kind)?.mistake(expectation);
  }

  /** Tier by tier, so that no loose match takes what an exact one is for. */
  matchByAmount(postings: readonly Posting[]): void {
    let rest = this.matchExactly(postings);
    if (this.#tolerance > 0) {
      rest = this.#give(rest, (lines, amount) => lines.unpaidAbout(amount));
    }
    rest = this.#giveToSets(rest);
    // Without an id nothing says whose a part, a second payment or a wrong amount is, except that
    // order and type are the same. What the service has no transaction for stays what it is.
    rest = rest.filter(isAnonymous);
    rest = this.#give(rest, (lines, amount) => lines.withLeft(amount));
    rest = this.#give(rest, (lines) => lines.unpaid());
    this.#give(rest, (lines, amount) => lines.ofAmount(amount));
  }

  /** By the exact amount of what nothing pays yet. @returns those that are left */
  matchExactly(postings: readonly Posting[]): Posting[] {
    return this.#give(postings, (lines, amount) => lines.unpaidOf(amount));
  }

  /** Gives each posting to what is found for it. @returns those that are left */
  #give(
    postings: readonly Posting[],
    find: (lines: OpenLines, amount: number) => Expectation | undefined,
  ): Posting[] {
    return postings.filter((posting) => {
      const { kind, amount } = posting;
      if ((kind !== 'settle' && kind !== 'refund') || amount <= 0) return true;
      const found = find(this.#linesOf(kind), amount);
      if (!found) return true;
      posting.expectation = found;
      this.#pay(found, amount);
      return false;
    });
  }

  /**
   * Gives each posting to the lines that sum to it. What is given leaves fewer sets for the others, so
   * that one with several is tried again.
   * @returns those that no set of lines sums to
   */
  #giveToSets(postings: readonly Posting[]): Posting[] {
    let open = postings;
    let count: number;
    do {
      count = open.length;
      open = open.filter((posting) => {
        const set = this.#setFor(posting);
        posting.isAmbiguous = set === 'several';
        if (set !== undefined && set !== 'several') {
          const joined = joinExpectations(this.#books, set);
          this.#lines.delete(joined.kind);
          posting.expectation = joined;
          this.#pay(joined, posting.amount);
        }
        return posting.isAmbiguous;
      });
    } while (open.length > 0 && open.length < count);
    return postings.filter(({ expectation, isAmbiguous }) => !expectation && !isAmbiguous);
  }

  #setFor({ kind, amount }: Posting): LineSet {
    if ((kind !== 'settle' && kind !== 'refund') || amount <= 0 || this.#sets.isSpent) {
      return undefined;
    }
    return this.#sets.find(this.#unpaidOf(kind), amount);
  }

  #unpaidOf(kind: Kind): Expectation[] {
    return this.#books.all.filter(
      (expectation) =>
        expectation.kind === kind &&
        !this.#paid.has(expectation) &&
        !this.#mistaken.has(expectation),
    );
  }

  #linesOf(kind: Kind): OpenLines {
    let lines = this.#lines.get(kind);
    if (!lines) {
      const all = this.#books.all.filter((expectation) => expectation.kind === kind);
      lines = new OpenLines(all, this.#paid, this.#mistaken, this.#tolerance);
      this.#lines.set(kind, lines);
    }
    return lines;
  }

  #pay(expectation: Expectation, amount: number): void {
    this.#paid.set(expectation, (this.#paid.get(expectation) ?? 0) + amount);
    this.#lines.get(expectation.kind)?.changed(expectation);
  }
}

/** A chargeback by its status: the lender took by itself what was to be a refund. */
function isRefundTaken({ kind, funding }: Posting): boolean {
  return kind === 'chargeback' && funding.transactionType.toLowerCase() === 'refund';
}

function isAnonymous(posting: Posting): boolean {
  return (
    posting.transactionId === undefined &&
    posting.merchantTransactionId === undefined &&
    !posting.isMissing
  );
}
