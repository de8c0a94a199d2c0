import type { LedgerLine } from './lines.ts';
import { compareTexts, type Expectation, named } from './posting.ts';

/** Expectations, indexed by ID. */
export interface ExpectationIndex {
  readonly all: Expectation[];
  readonly byTransaction: Readonly<Record<Expectation['kind'], Map<string, Expectation>>>;
  readonly byMerchantTransaction: Readonly<Record<Expectation['kind'], Map<string, Expectation>>>;
  /**
   * By the lender's reference. Undefined for a reference that several expectations share: it then
   * belongs to the loan and identifies none of them.
   */
  readonly byReference: Readonly<Record<Expectation['kind'], Map<string, Expectation | undefined>>>;
}

export function indexExpectations(ledger: readonly LedgerLine[]): ExpectationIndex {
  const index: ExpectationIndex = {
    all: [],
    byTransaction: { settle: new Map(), refund: new Map() },
    byMerchantTransaction: { settle: new Map(), refund: new Map() },
    byReference: { settle: new Map(), refund: new Map() },
  };
  const lines = ledger.length < 2 ? ledger : [...ledger].sort(compareLines);
  for (const line of lines) {
    const kind = line.type === 'Settle' ? 'settle' : 'refund';
    const transactionId = named(line.transactionId);
    const merchantTransactionId = named(line.merchantTransactionId);
    const found =
      (transactionId === undefined ? undefined : index.byTransaction[kind].get(transactionId)) ??
      (merchantTransactionId === undefined
        ? undefined
        : index.byMerchantTransaction[kind].get(merchantTransactionId));
    const expectation = found ?? {
      kind,
      amount: 0,
      occurredAt: line.occurredAt,
      lines: [],
      transactionIds: [],
      merchantTransactionIds: [],
      postings: [],
      mistyped: [],
      paid: 0,
    };
    if (!found) index.all.push(expectation);
    expectation.amount += line.amount;
    expectation.lines.push(line);
    expectation.occurredAt = Math.max(expectation.occurredAt, line.occurredAt);
    if (transactionId !== undefined) {
      expectation.transactionIds.push(transactionId);
      index.byTransaction[kind].set(transactionId, expectation);
    }
    if (merchantTransactionId !== undefined) {
      expectation.merchantTransactionIds.push(merchantTransactionId);
      index.byMerchantTransaction[kind].set(merchantTransactionId, expectation);
    }
    const reference = named(line.lenderReferenceId);
    if (reference !== undefined) {
      const references = index.byReference[kind];
      const isShared = references.has(reference) && references.get(reference) !== expectation;
      references.set(reference, isShared ? undefined : expectation);
    }
  }
  return index;
}

/**
 * Joins several unpaid expectations of one kind into one. From then on only their sum can be paid.
 */
export function joinExpectations(
  index: ExpectationIndex,
  parts: readonly Expectation[],
): Expectation {
  const [first, ...others] = parts.toSorted((a, b) => index.all.indexOf(a) - index.all.indexOf(b));
  if (first === undefined) throw new TypeError('No expectations to join.');
  for (const other of others) {
    first.amount += other.amount;
    first.occurredAt = Math.max(first.occurredAt, other.occurredAt);
    first.lines.push(...other.lines);
    first.transactionIds.push(...other.transactionIds);
    first.merchantTransactionIds.push(...other.merchantTransactionIds);
    index.all.splice(index.all.indexOf(other), 1);
  }
  first.lines.sort(compareLines);
  const { byTransaction, byMerchantTransaction } = index;
  for (const id of first.transactionIds) byTransaction[first.kind].set(id, first);
  for (const id of first.merchantTransactionIds) byMerchantTransaction[first.kind].set(id, first);
  return first;
}

/**
 * Returns whether postings of a wrong type cover the whole expectation, so that no further payment
 * is due. With a different amount, the line remains due.
 */
export function isMisstated({ amount, mistyped }: Expectation, tolerance: number): boolean {
  if (mistyped.length === 0) return false;
  const stated = mistyped.reduce((sum, posting) => sum + posting.amount, 0);
  return Math.abs(stated - amount) <= tolerance;
}

function compareLines(a: LedgerLine, b: LedgerLine): number {
  return (
    a.occurredAt - b.occurredAt ||
    compareTexts(a.transactionId, b.transactionId) ||
    compareTexts(a.type, b.type) ||
    a.amount - b.amount ||
    compareTexts(a.id, b.id)
  );
}
