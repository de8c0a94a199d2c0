import type { Examination } from './examination.ts';
import type { Findings } from './findings.ts';
import { signOf } from './kind.ts';
import { firstPosted, transactionOf, type Posting } from './posting.ts';

/** What is wrong with a funding by itself, or with what it claims to pay. */
export function judgePostings(examined: Examination, findings: Findings): void {
  const isMissingNoMore = takenBack(examined.postings.filter(({ isMissing }) => isMissing));
  const isMistakenNoMore = takenBack(examined.postings.filter(({ isMistaken }) => isMistaken));
  for (const posting of examined.postings) {
    const { kind, amount, funding } = posting;
    if (kind === 'none') continue;
    if (kind === 'unknown') {
      findings.addPosting('UNKNOWN_TYPE', amount, posting);
      continue;
    }
    if (!posting.isStatusKnown) findings.addPosting('UNKNOWN_TYPE', amount, posting);
    if (posting.isMissing && !isMissingNoMore(posting)) {
      findings.addPosting('MISSING_IN_SERVICE', amount, posting);
    }
    if (posting.isMistaken && !isMistakenNoMore(posting)) {
      findings.addPosting('TYPE_MISMATCH', amount, posting);
    }
    if (posting.isDuplicate) findings.addPosting('DUPLICATE_FUNDING', amount, posting);
    // In the raw values: gross, discount and net of one record have one convention of signs.
    const net = funding.transactionAmount - funding.discountAmount;
    const difference = funding.netAmount - net;
    // A unit may be lost where a lender rounds the three apart.
    if (Math.abs(difference) > 1) findings.addPosting('NET_MISMATCH', difference, posting);
  }
  judgeUnexpected(examined, findings);
}

/** What the books do not know. What the service does not know either is said. */
function judgeUnexpected({ order, postings, tolerance }: Examination, findings: Findings): void {
  const unknown = postings.filter(
    (posting) => !posting.expectation && signOf(posting.kind) !== 0 && isUnknownToBooks(posting),
  );
  const loose = unknown.filter(isSettleOrRefund);
  if (order.ledger.length === 0) {
    const isTold = (some: readonly Posting[]) => isMoreThan(tolerance, some);
    // What is charged back of a settle that is told so already is another cause.
    const told = [loose, unknown].find(isTold);
    if (!told) return;
    findings.add('NOT_IN_LEDGER', largerWay(told), told.length, firstPosted(told));
    return;
  }
  const isTakenBack = takenBack(loose);
  for (const posting of loose) {
    if (Math.abs(posting.amount) <= tolerance || posting.isMissing) continue;
    if (isTakenBack(posting)) continue;
    if (posting.isAmbiguous) {
      findings.addPosting('AMBIGUOUS_PAYMENT', posting.amount, posting);
      continue;
    }
    const code = posting.kind === 'settle' ? 'LINE_NOT_IN_LEDGER' : 'REFUND_NOT_IN_LEDGER';
    findings.addPosting(code, posting.amount, posting);
  }

  /** A funding that names no order, and that the service does not know, is in no book by nature. */
  function isUnknownToBooks({ isMissing }: Posting): boolean {
    return !isMissing || order.merchantOrderId !== undefined;
  }
}

/** Which of some fundings were taken back by others of them: both are money that moved, and sum to nothing. */
export function takenBack(postings: readonly Posting[]): (posting: Posting) => boolean {
  const left = new Map<string, number>();
  for (const { funding, kind, amount } of postings) {
    const transaction = transactionOf(funding, kind);
    left.set(transaction, (left.get(transaction) ?? 0) + amount);
  }
  return ({ funding, kind }) => left.get(transactionOf(funding, kind)) === 0;
}

function isSettleOrRefund({ kind }: Posting): boolean {
  return kind === 'settle' || kind === 'refund';
}

/** What came in, or what went out and is negative: the larger one, as the two may sum to nothing. */
export function largerWay(postings: readonly Posting[]): number {
  let [into, out] = [0, 0];
  for (const { kind, amount } of postings) {
    if (signOf(kind) > 0) into += amount;
    else out += amount;
  }
  return Math.abs(into) >= Math.abs(out) ? into : 0 - out;
}

/** Of one kind at least. */
function isMoreThan(tolerance: number, postings: readonly Posting[]): boolean {
  const sums = new Map<Posting['kind'], number>();
  for (const { kind, amount } of postings) sums.set(kind, (sums.get(kind) ?? 0) + amount);
  return [...sums.values()].some((sum) => Math.abs(sum) > tolerance);
}
