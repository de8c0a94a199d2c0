import type { Books, Expectation } from './expectation.ts';
import { OpenLines } from './open-lines.ts';
import type { Posting } from './posting.ts';

type Kind = Expectation['kind'];

/** What is left to pay of each expectation while the tiers go on. */
export class OpenBooks {
  readonly #books: Books;
  readonly #tolerance: number;
  readonly #paid = new Map<Expectation, number>();
  readonly #mistaken = new Set<Expectation>();
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
   * chargeback names its settle by nature, and of another amount it is what it says.
   */
  namedBy({
    kind,
    amount,
    transactionId,
    merchantTransactionId,
  }: Posting): Expectation | undefined {
    if (kind === 'none' || kind === 'unknown') return undefined;
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

function isAnonymous(posting: Posting): boolean {
  return (
    posting.transactionId === undefined &&
    posting.merchantTransactionId === undefined &&
    !posting.isMissing
  );
}
