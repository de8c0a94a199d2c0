import type { Books, Expectation } from './expectation.ts';
import { OpenBooks } from './open-books.ts';
import { transactionOf, type Posting } from './posting.ts';

/**
 * Gives each settle and refund that lenders posted to what the ledger expects, the surest evidence
 * first: the transaction's id, the merchant's id, the lender's reference of the line, that of a funding
 * that is matched, the exact amount, the amount within tolerance. A ledger line is paid once; whether
 * one id pays several times, or in parts, is judged afterwards. Fundings are in total order, so that arrival decides nothing.
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

/** Tiers 1 to 3. */
function matchById(books: Books, posting: Posting): boolean {
  const { funding, kind, transactionId, merchantTransactionId } = posting;
  if (kind !== 'settle' && kind !== 'refund') return false;
  if (transactionId !== undefined) {
    posting.expectation = books.byTransaction[kind].get(transactionId);
  }
  if (!posting.expectation && merchantTransactionId !== undefined) {
    posting.expectation = books.byMerchantTransaction[kind].get(merchantTransactionId);
  }
  // The service names no transaction to the merchant for a settle that was requested with its charge.
  if (!posting.expectation && funding.lenderReferenceId) {
    posting.expectation = books.byReference[kind].get(funding.lenderReferenceId);
  }
  return posting.expectation !== undefined;
}

/** Tier 4: a line without a lender's reference, of which a funding with this one is matched. */
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

/** Tiers 5 to 7. */
function matchRest(
  books: Books,
  postings: readonly Posting[],
  rest: readonly Posting[],
  tolerance: number,
): void {
  const corrections = correctionsOf(rest);
  matchOpen(
    new OpenBooks(books, postings, tolerance),
    rest.filter((posting) => !corrections.has(posting)),
  );
  // What was taken back of a transaction, or paid again, is of the line that its amount was found for.
  const byTransaction = new Map<string, Expectation>();
  for (const { expectation, funding, isMistaken, kind } of rest) {
    const transaction = transactionOf(funding, kind);
    if (!expectation || isMistaken || byTransaction.has(transaction)) continue;
    byTransaction.set(transaction, expectation);
  }
  if (byTransaction.size === 0) return;
  for (const posting of rest) {
    posting.expectation ??= byTransaction.get(transactionOf(posting.funding, posting.kind));
  }
}

/** What takes back as much of the same transaction, and what it takes back: together they pay nothing. */
function correctionsOf(postings: readonly Posting[]): ReadonlySet<Posting> {
  const corrections = new Set<Posting>();
  if (!postings.some(({ amount }) => amount < 0)) return corrections;
  const open = new Map<string, Posting[]>();
  for (const posting of postings) {
    const { amount, funding, kind } = posting;
    const key = `${transactionOf(funding, kind)} ${Math.abs(amount)}`;
    const others = open.get(key) ?? [];
    open.set(key, others);
    const other = others.at(-1);
    if (other?.amount === -amount) {
      others.pop();
      corrections.add(posting).add(other);
    } else {
      others.push(posting);
    }
  }
  return corrections;
}

/** As {@link matchRest}, with what is left to pay. */
export function matchOpen(
  open: Pick<OpenBooks, 'matchByAmount' | 'matchExactly' | 'mistaken' | 'namedBy'>,
  rest: readonly Posting[],
): void {
  // An id that names a line says more than an amount that fits another, so that the others choose
  // first; but a refund that carries the id of its settle is the refund of just that amount.
  let naming = rest.filter((posting) => open.namedBy(posting));
  open.matchByAmount(rest.filter((posting) => !open.namedBy(posting)));
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
    open.mistaken(expectation);
  }
  open.matchByAmount(others);
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
    const taken =
      posting.amount < 0
        ? duplicates.findLastIndex((duplicate) => duplicate.amount === -posting.amount)
        : -1;
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
