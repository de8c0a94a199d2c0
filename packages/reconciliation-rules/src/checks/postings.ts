import type { Examination } from './examination.ts';
import type { Findings } from './findings.ts';
import { signOf } from '../order/kind.ts';
import { isBeforeLedger } from '../policy/ledger-start.ts';
import { firstPosted, transactionOf, type Posting } from '../order/posting.ts';

/** Reports errors of a single funding, and mismatches between a funding and the line it pays. */
export function judgePostings(examined: Examination, findings: Findings): void {
  const isMissingNoMore = takenBack(examined.postings.filter(({ isMissing }) => isMissing));
  const isMistypedNoMore = takenBack(examined.postings.filter(({ isMistyped }) => isMistyped));
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
    if (posting.isMistyped && !isMistypedNoMore(posting)) {
      findings.addPosting('TYPE_MISMATCH', amount, posting);
    }
    if (posting.isDuplicate) findings.addPosting('DUPLICATE_FUNDING', amount, posting);
    // Checked on raw values: gross, discount and net of one record share one sign convention.
    const net = funding.transactionAmount - funding.discountAmount;
    const difference = funding.netAmount - net;
    // A lender that rounds the three amounts separately may be off by one unit.
    if (Math.abs(difference) > 1) findings.addPosting('NET_MISMATCH', difference, posting);
  }
  judgeUnexpected(examined, findings);
}

/**
 * Reports fundings that are not in the ledger, including those unknown to the service. Skips
 * fundings that predate the ledger.
 */
function judgeUnexpected(examined: Examination, findings: Findings): void {
  const { order, policy, postings, tolerance } = examined;
  const unrecorded = postings.filter(
    (posting) => !posting.expectation && signOf(posting.kind) !== 0 && belongsInLedger(posting),
  );
  const unknown = unrecorded.filter(
    ({ funding }) => !isBeforeLedger(funding, order.currency, policy),
  );
  const loose = unknown.filter(isSettleOrRefund);
  if (order.ledger.length === 0) {
    const isTold = (some: readonly Posting[]) => isMoreThan(tolerance, some);
    // A chargeback is not counted again if its settle is reported here or predates the ledger.
    const isYounger = unknown.length === unrecorded.length;
    const told = (isYounger ? [loose, unknown] : [loose]).find(isTold);
    if (!told) return;
    findings.add('NOT_IN_LEDGER', largerWay(told), told.length, firstPosted(told));
    return;
  }
  const isTakenBack = takenBack(loose);
  for (const posting of loose) {
    if (Math.abs(posting.amount) <= tolerance || isTakenBack(posting)) continue;
    if (posting.isAmbiguous) {
      findings.addPosting('AMBIGUOUS_PAYMENT', posting.amount, posting);
      continue;
    }
    // The posting is reported as MISSING_IN_SERVICE.
    if (posting.isMissing) continue;
    const code = posting.kind === 'settle' ? 'LINE_NOT_IN_LEDGER' : 'REFUND_NOT_IN_LEDGER';
    findings.addPosting(code, posting.amount, posting);
  }

  /**
   * Returns false for a funding that names no order and that the service does not know: no ledger
   * can contain it.
   */
  function belongsInLedger({ isMissing }: Posting): boolean {
    return !isMissing || order.merchantOrderId !== undefined;
  }
}

/**
 * Returns a predicate that selects fundings reversed by other fundings. Both moved money, and they
 * sum to zero.
 */
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

/**
 * Returns the incoming or the (negative) outgoing sum, whichever is larger: their total could
 * cancel out.
 */
export function largerWay(postings: readonly Posting[]): number {
  let [into, out] = [0, 0];
  for (const { kind, amount } of postings) {
    if (signOf(kind) > 0) into += amount;
    else out += amount;
  }
  return Math.abs(into) >= Math.abs(out) ? into : 0 - out;
}

/** Returns whether the sum of at least one kind exceeds the tolerance. */
function isMoreThan(tolerance: number, postings: readonly Posting[]): boolean {
  const sums = new Map<Posting['kind'], number>();
  for (const { kind, amount } of postings) sums.set(kind, (sums.get(kind) ?? 0) + amount);
  return [...sums.values()].some((sum) => Math.abs(sum) > tolerance);
}
