import type { Books, Expectation } from './expectation.ts';
import type { Posting } from './posting.ts';

/**
 * Gives each settle and refund that lenders posted to what the books expect, the surest evidence
 * first: the transaction's id, the merchant's id, the lender's reference, the exact amount, the
 * amount within tolerance. A ledger line is paid once; what one id pays several times, or in parts,
 * is told apart afterwards. Fundings are in total order, so that arrival decides nothing.
 */
export function matchPostings(books: Books, postings: readonly Posting[], tolerance: number): void {
  if (books.all.length > 0) {
    let rest = postings.filter((posting) => !matchById(books, posting));
    if (rest.length > 0) rest = matchByReference(postings, rest);
    if (rest.length > 0) matchRest(books, postings, rest, tolerance);
  }
  for (const posting of postings) {
    const { expectation, isMistaken } = posting;
    if (isMistaken) expectation?.mistaken.push(posting);
    else expectation?.postings.push(posting);
  }
  for (const expectation of books.all) markDuplicates(expectation, tolerance);
}

/** Tiers 1 and 2. */
function matchById(books: Books, posting: Posting): boolean {
  const { kind, transactionId, merchantTransactionId } = posting;
  if (kind !== 'settle' && kind !== 'refund') return false;
  if (transactionId !== undefined) {
    posting.expectation = books.byTransaction[kind].get(transactionId);
  }
  if (!posting.expectation && merchantTransactionId !== undefined) {
    posting.expectation = books.byMerchantTransaction[kind].get(merchantTransactionId);
  }
  return posting.expectation !== undefined;
}

/** Tier 3: the ledger knows no lender's reference, but a funding of the same one may be matched. */
function matchByReference(postings: readonly Posting[], rest: readonly Posting[]): Posting[] {
  const references = new Map<string, Expectation>();
  const keyOf = ({ kind, funding: { lenderReferenceId } }: Posting) =>
    lenderReferenceId ? `${kind} ${lenderReferenceId}` : '';
  for (const posting of postings) {
    const key = keyOf(posting);
    if (posting.expectation && key !== '' && !references.has(key)) {
      references.set(key, posting.expectation);
    }
  }
  if (references.size === 0) return [...rest];
  return rest.filter((posting) => {
    posting.expectation = references.get(keyOf(posting));
    return posting.expectation === undefined;
  });
}

/** Tiers 4 to 6. */
function matchRest(
  books: Books,
  postings: readonly Posting[],
  rest: readonly Posting[],
  tolerance: number,
): void {
  const open = new OpenBooks(books, postings);
  // An id that names a line says more than an amount that fits another, so that the others choose
  // first; but a refund that carries the id of its settle is the refund of just that amount.
  let naming = rest.filter((posting) => open.namedBy(posting));
  open.matchByAmount(
    rest.filter((posting) => !open.namedBy(posting)),
    tolerance,
  );
  naming = open.matchExactly(naming);
  const others: Posting[] = [];
  for (const posting of naming) {
    const expectation = open.namedBy(posting);
    if (!expectation) {
      others.push(posting);
      continue;
    }
    posting.expectation = expectation;
    posting.isMistaken = true;
    open.mistaken.add(expectation);
  }
  open.matchByAmount(others, tolerance);
}

type Fits = (expectation: Expectation, posting: Posting) => boolean;

/** What is left to pay of each expectation while the tiers go on. */
class OpenBooks {
  readonly mistaken = new Set<Expectation>();
  readonly #books: Books;
  readonly #paid = new Map<Expectation, number>();
  /** What nothing pays yet, by kind and amount: an order may have thousands of lines. */
  #byAmount: Map<string, Expectation[]> | undefined;

  constructor(books: Books, postings: readonly Posting[]) {
    this.#books = books;
    for (const { expectation, amount } of postings) {
      if (expectation) this.#pay(expectation, amount);
    }
  }

  /** The line whose id a funding carries under another type, while nothing else pays that line. */
  namedBy({ kind, transactionId, merchantTransactionId }: Posting): Expectation | undefined {
    if (kind === 'none') return undefined;
    for (const type of ['settle', 'refund'] as const) {
      if (type === kind) continue;
      const { byTransaction, byMerchantTransaction } = this.#books;
      const found =
        (transactionId === undefined ? undefined : byTransaction[type].get(transactionId)) ??
        (merchantTransactionId === undefined
          ? undefined
          : byMerchantTransaction[type].get(merchantTransactionId));
      if (found && !this.#paid.has(found)) return found;
    }
    return undefined;
  }

  /** Tier by tier, so that no loose match takes what an exact one is for. */
  matchByAmount(postings: readonly Posting[], tolerance: number): void {
    let rest = this.matchExactly(postings);
    const isUnpaid = (expectation: Expectation) => !this.#paid.has(expectation);
    if (tolerance > 0) {
      rest = this.#tier(
        rest,
        (expectation, { amount }) =>
          isUnpaid(expectation) && Math.abs(expectation.amount - amount) <= tolerance,
      );
    }
    // Without an id nothing says whose a part, a second payment or a wrong amount is, except that
    // order and type are the same. What the service has no transaction for stays what it is.
    rest = rest.filter(isAnonymous);
    const tier = (fits: Fits) => {
      rest = this.#tier(rest, fits);
    };
    tier((expectation, posting) => posting.amount <= this.#left(expectation) + tolerance);
    tier(isUnpaid);
    tier((expectation, posting) => expectation.amount === posting.amount);
  }

  /** By the exact amount of what nothing pays yet. @returns those that are left */
  matchExactly(postings: readonly Posting[]): Posting[] {
    return this.#give(postings, (posting) => {
      const alike = this.#unpaidOf(posting);
      // That is not undone, so that what is passed over once is passed over for good.
      let found = alike?.at(-1);
      while (found && this.#paid.has(found)) {
        alike?.pop();
        found = alike?.at(-1);
      }
      return found;
    });
  }

  /** Of the kind and the amount of a posting, the first one last. */
  #unpaidOf({ kind, amount }: Posting): Expectation[] | undefined {
    this.#byAmount ??= Map.groupBy(
      this.#books.all.filter((expectation) => !this.#paid.has(expectation)).reverse(),
      (expectation) => `${expectation.kind} ${expectation.amount}`,
    );
    return this.#byAmount.get(`${kind} ${amount}`);
  }

  #tier(postings: readonly Posting[], fits: Fits): Posting[] {
    return this.#give(postings, (posting) =>
      this.#books.all.find(
        (expectation) =>
          expectation.kind === posting.kind &&
          !this.mistaken.has(expectation) &&
          fits(expectation, posting),
      ),
    );
  }

  /** Gives each posting to what is found for it. @returns those that are left */
  #give(
    postings: readonly Posting[],
    find: (posting: Posting) => Expectation | undefined,
  ): Posting[] {
    return postings.filter((posting) => {
      const { kind, amount } = posting;
      if (!isExpected(kind) || amount <= 0) return true;
      const found = find(posting);
      if (!found) return true;
      posting.expectation = found;
      this.#pay(found, amount);
      return false;
    });
  }

  #left(expectation: Expectation): number {
    return expectation.amount - (this.#paid.get(expectation) ?? 0);
  }

  #pay(expectation: Expectation, amount: number): void {
    this.#paid.set(expectation, (this.#paid.get(expectation) ?? 0) + amount);
  }
}

function isExpected(kind: Posting['kind']): boolean {
  return kind === 'settle' || kind === 'refund';
}

function isAnonymous(posting: Posting): boolean {
  return (
    posting.transactionId === undefined &&
    posting.merchantTransactionId === undefined &&
    !posting.isMissing
  );
}

/**
 * Paid again: about the whole amount once more, and more in sum than expected. Parts that sum to
 * the whole are split funding, and any other excess is a wrong amount. One that was taken back since
 * is none: both are money that moved, and sum to nothing.
 */
function markDuplicates(expectation: Expectation, tolerance: number): void {
  const { amount, postings } = expectation;
  let paid = 0;
  const duplicates: Posting[] = [];
  for (const posting of postings) {
    const taken = duplicates.findLastIndex((duplicate) => duplicate.amount === -posting.amount);
    const [corrected] = taken === -1 ? [] : duplicates.splice(taken, 1);
    if (corrected) {
      corrected.isDuplicate = false;
      continue;
    }
    posting.isDuplicate =
      posting.amount > 0 &&
      Math.abs(posting.amount - amount) <= tolerance &&
      paid + posting.amount > amount + tolerance;
    if (posting.isDuplicate) duplicates.push(posting);
    else paid += posting.amount;
  }
  // Without it the whole was not paid at all: a part came before it, or some of it was taken back.
  for (const duplicate of duplicates) {
    if (paid >= amount - tolerance) break;
    duplicate.isDuplicate = false;
    paid += duplicate.amount;
  }
  expectation.paid = paid;
}
