import { type ExpectationIndex, joinExpectations } from '../order/expectation.ts';
import { type LineSet, LineSets } from './line-sets.ts';
import { OpenLines } from './open-lines.ts';
import type { Expectation, Posting } from '../order/posting.ts';

type Kind = Expectation['kind'];

/** Tracks the open amount of each expectation while the tiers run. */
export class OpenAmounts {
  readonly #index: ExpectationIndex;
  readonly #tolerance: number;
  readonly #paid = new Map<Expectation, number>();
  readonly #mistyped = new Set<Expectation>();
  readonly #sets = new LineSets();
  /** Created on first use: most orders never need them. */
  readonly #lines = new Map<Kind, OpenLines>();

  constructor(index: ExpectationIndex, postings: readonly Posting[], tolerance: number) {
    this.#index = index;
    this.#tolerance = tolerance;
    for (const { expectation, amount } of postings) {
      if (expectation) this.#pay(expectation, amount);
    }
  }

  /**
   * Returns the line whose id a funding carries under a wrong type, if no other funding pays the
   * line. A funding of unknown type pays nothing: its line stays awaited, and is missing once late.
   * A chargeback naturally names its settle, so a chargeback of a different amount remains a
   * chargeback, and so does any refund with status CHARGEBACK.
   */
  namedBy(posting: Posting): Expectation | undefined {
    const { kind, amount, transactionId, merchantTransactionId } = posting;
    if (kind === 'none' || kind === 'unknown' || isRefundTaken(posting)) return undefined;
    for (const type of ['settle', 'refund'] as const) {
      if (type === kind) continue;
      const { byTransaction, byMerchantTransaction } = this.#index;
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

  /**
   * Excludes a line that is funded under another type from amount matching, except for the exact
   * amount.
   */
  excludeMistyped(expectation: Expectation): void {
    this.#mistyped.add(expectation);
    this.#lines.get(expectation.kind)?.update(expectation);
  }

  /**
   * Matches by amount, tier by tier, so that a loose match never takes the line of an exact match.
   * Larger amounts choose first, so that the posting order does not matter.
   */
  matchByAmount(postings: readonly Posting[]): void {
    let rest = this.matchExactly(postings);
    if (rest.length > 1) rest = rest.toSorted((one, other) => other.amount - one.amount);
    rest = this.#give(rest, (lines, posting) =>
      isAnonymous(posting) ? lines.startedWith(posting.amount) : undefined,
    );
    if (this.#tolerance > 0) {
      rest = this.#give(rest, (lines, { amount }) => lines.unpaidAbout(amount));
    }
    rest = this.#giveToSets(rest, 0);
    if (this.#tolerance > 0) rest = this.#giveToSets(rest, this.#tolerance);
    // Without an id, only order and type indicate the owner of a part or a second payment, and a wrong
    // amount has an owner only if a single line is unpaid. A posting that the service does not know
    // stays unmatched. A part that fits lines of different amounts pays none of them, unless it is
    // exactly the rest of one line.
    rest = rest.filter(isAnonymous);
    rest = this.#give(rest, (lines, { amount }) => lines.withLeft(amount));
    rest = this.#give(rest, (lines) => lines.onlyUnpaid());
    this.#give(rest, (lines, { amount }) => lines.ofAmount(amount));
  }

  /** Matches unpaid expectations by exact amount. @returns the postings that remain */
  matchExactly(postings: readonly Posting[]): Posting[] {
    return this.#give(postings, (lines, { amount }) => lines.unpaidOf(amount));
  }

  /**
   * Assigns each posting to the expectation found for it, and marks those that fit several.
   * @returns the postings that remain
   */
  #give(
    postings: readonly Posting[],
    find: (lines: OpenLines, posting: Posting) => Expectation | 'several' | undefined,
  ): Posting[] {
    return postings.filter((posting) => {
      const { kind, amount } = posting;
      if ((kind !== 'settle' && kind !== 'refund') || amount <= 0) return true;
      const found = find(this.#linesOf(kind), posting);
      if (!found) return true;
      posting.isAmbiguous = found === 'several';
      if (found === 'several') return false;
      posting.expectation = found;
      this.#pay(found, amount);
      return false;
    });
  }

  /**
   * Assigns each posting to the lines that sum to it within tolerance. Each assignment leaves fewer
   * sets for the others, so postings with several sets are tried again.
   * @returns the postings without a matching set
   */
  #giveToSets(postings: readonly Posting[], tolerance: number): Posting[] {
    let open = postings;
    let count: number;
    do {
      count = open.length;
      open = open.filter((posting) => {
        const set = this.#setFor(posting, tolerance);
        posting.isAmbiguous = set === 'several';
        if (set !== undefined && set !== 'several') {
          const joined = joinExpectations(this.#index, set);
          this.#lines.delete(joined.kind);
          posting.expectation = joined;
          this.#pay(joined, posting.amount);
        }
        return posting.isAmbiguous;
      });
    } while (open.length > 0 && open.length < count);
    return postings.filter(({ expectation, isAmbiguous }) => !expectation && !isAmbiguous);
  }

  #setFor({ kind, amount }: Posting, tolerance: number): LineSet {
    if ((kind !== 'settle' && kind !== 'refund') || amount <= 0 || this.#sets.isSpent) {
      return undefined;
    }
    return this.#sets.find(this.#unpaidOf(kind), amount, tolerance);
  }

  #unpaidOf(kind: Kind): Expectation[] {
    return this.#index.all.filter(
      (expectation) =>
        expectation.kind === kind &&
        !this.#paid.has(expectation) &&
        !this.#mistyped.has(expectation),
    );
  }

  #linesOf(kind: Kind): OpenLines {
    let lines = this.#lines.get(kind);
    if (!lines) {
      const all = this.#index.all.filter((expectation) => expectation.kind === kind);
      lines = new OpenLines(all, this.#paid, this.#mistyped, this.#tolerance);
      this.#lines.set(kind, lines);
    }
    return lines;
  }

  #pay(expectation: Expectation, amount: number): void {
    this.#paid.set(expectation, (this.#paid.get(expectation) ?? 0) + amount);
    this.#lines.get(expectation.kind)?.update(expectation);
  }
}

/** Returns whether a refund is a chargeback by status: the lender took the money unilaterally. */
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
