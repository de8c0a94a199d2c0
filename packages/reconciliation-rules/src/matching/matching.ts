import type { ExpectationIndex } from '../order/expectation.ts';
import { OpenAmounts } from './open-amounts.ts';
import { type Expectation, transactionOf, type Posting } from '../order/posting.ts';

/**
 * Assigns each posted settle and refund to an expectation of the ledger, by the strongest evidence
 * first: the transaction id, the merchant's id, the line's lender reference, the reference of an
 * already matched funding, the exact amount, the amount within tolerance. A ledger line is paid
 * once; later checks decide whether one id pays several times or in parts. Fundings are in total
 * order, so that their arrival order does not matter.
 */
export function matchPostings(
  index: ExpectationIndex,
  postings: readonly Posting[],
  tolerance: number,
): void {
  if (index.all.length > 0) {
    let rest = postings.filter((posting) => !matchById(index, posting));
    if (rest.length > 0) rest = matchByReference(postings, rest);
    if (rest.length > 0) matchRest(index, postings, rest, tolerance);
  }
  for (const posting of postings) {
    const { expectation, isMistyped } = posting;
    if (isMistyped) expectation?.mistyped.push(posting);
    else expectation?.postings.push(posting);
  }
  for (const expectation of index.all) markDuplicates(expectation, tolerance);
}

/** Tiers 1 to 3. */
function matchById(index: ExpectationIndex, posting: Posting): boolean {
  const { funding, kind, transactionId, merchantTransactionId } = posting;
  if (kind !== 'settle' && kind !== 'refund') return false;
  if (transactionId !== undefined) {
    posting.expectation = index.byTransaction[kind].get(transactionId);
  }
  if (!posting.expectation && merchantTransactionId !== undefined) {
    posting.expectation = index.byMerchantTransaction[kind].get(merchantTransactionId);
  }
  // For a settle that was requested together with its charge, the service does not give the
  // merchant a transaction id.
  if (!posting.expectation && funding.lenderReferenceId) {
    posting.expectation = index.byReference[kind].get(funding.lenderReferenceId);
  }
  return posting.expectation !== undefined;
}

/**
 * Tier 4: matches lines without a lender reference through an already matched funding with the same
 * reference.
 */
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
  index: ExpectationIndex,
  postings: readonly Posting[],
  rest: readonly Posting[],
  tolerance: number,
): void {
  const corrections = correctionsOf(rest);
  matchOpen(
    new OpenAmounts(index, postings, tolerance),
    rest.filter((posting) => !corrections.has(posting)),
  );
  // A correction or repeated payment of a transaction belongs to the line that matched the
  // transaction's amount.
  const byTransaction = new Map<string, Expectation>();
  for (const { expectation, funding, isMistyped, kind } of rest) {
    const transaction = transactionOf(funding, kind);
    if (!expectation || isMistyped || byTransaction.has(transaction)) continue;
    byTransaction.set(transaction, expectation);
  }
  if (byTransaction.size === 0) return;
  for (const posting of rest) {
    posting.expectation ??= byTransaction.get(transactionOf(posting.funding, posting.kind));
  }
}

/**
 * Returns pairs of postings of one transaction that cancel each other out: together they pay
 * nothing.
 */
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

/** Continues {@link matchRest} with the amounts that are still open. */
export function matchOpen(
  open: Pick<OpenAmounts, 'matchByAmount' | 'matchExactly' | 'excludeMistyped' | 'namedBy'>,
  rest: readonly Posting[],
): void {
  // An id that names a line is stronger evidence than a matching amount, so postings without such
  // an id choose first. Exception: a refund that carries its settle's id refunds exactly that
  // amount.
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
    posting.isMistyped = true;
    open.excludeMistyped(expectation);
  }
  open.matchByAmount(others);
}

/**
 * Marks duplicates: further postings of approximately the whole amount, in any posting order. The
 * payment closest to the whole amount pays the line, and any other excess is a wrong amount. Parts
 * that sum to the whole pay it as well (split funding), so an additional whole amount is a duplicate.
 * A payment that was taken back is not a duplicate: both moved money and sum to zero.
 */
function markDuplicates(expectation: Expectation, tolerance: number): void {
  const { amount, postings } = expectation;
  if (postings.length < 2) {
    expectation.paid = postings[0]?.amount ?? 0;
    return;
  }
  const distance = (posting: Posting) => Math.abs(posting.amount - amount);
  const wholes: Posting[] = [];
  let parts = 0;
  for (const posting of withoutTakenBack(postings)) {
    if (posting.amount > 0 && distance(posting) <= tolerance) wholes.push(posting);
    else parts += posting.amount;
  }
  wholes.sort((one, other) => distance(one) - distance(other));
  const isPaidInParts = Math.abs(parts - amount) <= tolerance;
  let paid = isPaidInParts ? parts : 0;
  const duplicates: Posting[] = [];
  for (const whole of wholes) {
    whole.isDuplicate = paid + whole.amount > amount + tolerance;
    if (whole.isDuplicate) duplicates.push(whole);
    else paid += whole.amount;
  }
  if (!isPaidInParts) paid += parts;
  // A part of the payment was reversed, so suspected duplicates count as payment up to the whole amount.
  for (const duplicate of duplicates) {
    if (paid >= amount - tolerance) break;
    duplicate.isDuplicate = false;
    paid += duplicate.amount;
  }
  expectation.paid = paid;
}

/** Returns the postings without pairs in which the later posting reverses the earlier one. */
function withoutTakenBack(postings: readonly Posting[]): Posting[] {
  const left: Posting[] = [];
  for (const posting of postings) {
    const taken =
      posting.amount < 0 ? left.findLastIndex(({ amount }) => amount === -posting.amount) : -1;
    if (taken === -1) left.push(posting);
    else left.splice(taken, 1);
  }
  return left;
}
