import type { Examination } from './examination.ts';
import { isMisstated } from '../order/expectation.ts';
import type { Expectation } from '../order/posting.ts';
import type { Findings } from './findings.ts';
import { lateAfter } from '../policy/due-day.ts';

/** The open amounts of an order's expectations. */
export interface OpenExpectations {
  /** Minor units of unpaid settles that may still arrive. */
  awaiting: number;
  /** When the next open expectation becomes late. */
  recheckAt: number | undefined;
  /** Expectations whose difference is not an exception yet. */
  readonly pending: ReadonlySet<Expectation>;
}

/**
 * Compares each expectation with its payments. The tolerance covers a difference only once per
 * order: tolerated differences are summed, and their sum is checked again.
 */
export function judgeExpectations(examined: Examination, findings: Findings): OpenExpectations {
  const { expectations, tolerance, dueAt, isAbsent, isLate, policy } = examined;
  const pending = new Set<Expectation>();
  const summary: OpenExpectations = { awaiting: 0, recheckAt: undefined, pending };
  const residuals = residualsOf(examined);
  const wait = (kind: Expectation['kind'], amount: number, due: number) => {
    if (kind === 'settle') summary.awaiting += amount;
    const at = lateAfter(due, policy.slaDays);
    if (at > policy.now) summary.recheckAt = Math.min(at, summary.recheckAt ?? at);
  };
  for (const expectation of expectations) {
    const { kind, amount, paid, lines } = expectation;
    // Paid under a wrong type: the funding has the exception, and the line is no longer awaited.
    if (isMisstated(expectation, tolerance)) continue;
    const difference = paid - amount;
    const due = dueAt(expectation);
    if (Math.abs(difference) <= tolerance) continue;
    if (difference > 0) {
      const since = exceededAt(expectation, tolerance);
      findings.add('AMOUNT_MISMATCH', difference, lines.length, since);
    } else if (!isLate(due) || !isAbsent(expectation)) {
      pending.add(expectation);
      wait(kind, -difference, due);
    } else if (paid !== 0) {
      findings.add('AMOUNT_MISMATCH', difference, lines.length, due);
    } else {
      findings.add(
        kind === 'settle' ? 'MISSING_AT_LENDER' : 'REFUND_NOT_TAKEN',
        amount,
        lines.length,
        due,
      );
    }
  }
  for (const kind of ['settle', 'refund'] as const) {
    const { sum, open, count, since } = residuals[kind];
    if (sum > tolerance) {
      findings.add(kind === 'settle' ? 'OVER_FUNDED' : 'REFUND_NOT_IN_LEDGER', sum, count, since);
    } else if (sum >= -tolerance) {
      continue;
    } else if (!isLate(since)) {
      wait(kind, open, since);
    } else if (kind === 'settle') {
      findings.add('AMOUNT_MISMATCH', sum, count, since);
    } else {
      findings.add('REFUND_NOT_TAKEN', -sum, count, since);
    }
  }
  return summary;
}

/** Returns the tolerated differences of settles and of refunds. */
export function residualsOf(examined: Examination): Record<Expectation['kind'], Residual> {
  const { order, expectations, postings, tolerance, dueAt } = examined;
  const residuals = { settle: new Residual(), refund: new Residual() };
  for (const expectation of expectations) {
    const difference = expectation.paid - expectation.amount;
    if (isMisstated(expectation, tolerance) || Math.abs(difference) > tolerance) continue;
    const since = difference > 0 ? exceededAt(expectation, 0) : dueAt(expectation);
    residuals[expectation.kind].add(difference, expectation.lines.length, since);
    residuals[expectation.kind].open += Math.max(0, -difference);
  }
  // An order unknown to the ledger has its own exception, which covers all its postings.
  if (order.ledger.length === 0) return residuals;
  for (const { kind, amount, funding, expectation, isMissing } of postings) {
    const isLoose = !expectation && !isMissing && (kind === 'settle' || kind === 'refund');
    if (isLoose && Math.abs(amount) <= tolerance) residuals[kind].add(amount, 1, funding.fundedAt);
  }
  return residuals;
}

/**
 * Returns the start of the latest uninterrupted overpayment. Earlier payments are parts of the
 * amount.
 */
function exceededAt({ amount, postings }: Expectation, tolerance: number): number {
  let paid = 0;
  let since = Infinity;
  for (const posting of postings) {
    if (posting.isDuplicate) continue;
    paid += posting.amount;
    since = paid - amount > tolerance ? Math.min(since, posting.funding.fundedAt) : Infinity;
  }
  return since;
}

/** The sum of individually tolerated differences. */
export class Residual {
  sum = 0;
  /** The unpaid part of the lines. An excess on other lines does not reduce it. */
  open = 0;
  count = 0;
  /** The latest time before which the sum was, or could still become, within tolerance. */
  since = 0;

  add(difference: number, lines: number, since: number): void {
    if (difference === 0) return;
    this.sum += difference;
    this.count += lines;
    this.since = Math.max(this.since, since);
  }
}
