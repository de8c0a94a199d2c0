import { examine, type Examination } from '../checks/examination.ts';
import { isMisstated } from '../order/expectation.ts';
import { signOf } from '../order/kind.ts';
import type { LedgerLine, OrderLines, Policy } from '../order/lines.ts';
import type { Expectation, Posting } from '../order/posting.ts';
import { residualsOf, type Residual } from '../checks/shortfall.ts';
import { lateAfter } from '../policy/due-day.ts';
import { lenderOf } from '../policy/lender.ts';

/**
 * Movements between the merchant's ledger and the bank. `expected`: amounts settled; `funded`: the
 * part that lenders paid; `short`: the part that is no longer expected. The other steps carry the
 * sign of the money.
 */
export const flowSteps = [
  'expected',
  'funded',
  'short',
  'over',
  'refunds',
  'chargebacks',
  'reversals',
  'duplicates',
  /** Posting that matches no ledger line, or has the wrong type. */
  'other',
  'discount',
  /** Net payout as stated by lenders, taken only from their net amounts. */
  'net',
] as const;
export type FlowStep = (typeof flowSteps)[number];

/** One movement of an order's money. Amounts are in minor units. */
export interface CashFlow {
  currency: string;
  /** Empty until a lender posts a funding for the order. */
  lender: string;
  /**
   * When the money moved, in milliseconds since 1970, so that a cash walk can group it into days of
   * any time zone.
   */
  at: number;
  step: FlowStep;
  amount: number;
}

/**
 * Returns all movements of an order, based on current data. A settle that was late but has since been
 * funded was never short. An unfunded amount that may still arrive is in transit and has no
 * movement.
 * @throws {InexactOrderError} as reconcileOrder does
 */
export function cashFlows(order: OrderLines, policy: Policy): CashFlow[] {
  const examined = examine(order, policy);
  const flows: CashFlow[] = [];
  const emit = (step: FlowStep, amount: number, at: number, lender: string) => {
    if (amount === 0) return;
    flows.push({ currency: order.currency, lender, at, step, amount });
  };
  const only = onlyLenderOf(examined);
  const { settle: residual } = residualsOf(examined);
  for (const expectation of examined.expectations) {
    if (expectation.kind === 'settle') emitExpectation(examined, expectation, residual, only, emit);
  }
  for (const posting of examined.postings) emitPosting(examined, posting, emit);
  return flows;
}

type Emit = (step: FlowStep, amount: number, at: number, lender: string) => void;

/** Emits the expected amount of a settle, the part that each lender paid, and the short part. */
function emitExpectation(
  examined: Examination,
  expectation: Expectation,
  residual: Residual,
  onlyLender: string,
  emit: Emit,
): void {
  const { amount, postings, mistyped } = expectation;
  const expect = inTurn(expectation.lines, (part, at, lender) => {
    emit('expected', part, at, lender);
  });
  let paid = 0;
  for (const posting of postings) {
    if (posting.isDuplicate) continue;
    const covered = Math.min(paid + posting.amount, amount) - Math.min(paid, amount);
    paid += posting.amount;
    const { fundedAt } = posting.funding;
    const lender = lenderOf(posting.funding.lenderName, examined.policy);
    // The amount counts as expected from the lender that paid it, so that each lender's own walk
    // adds up.
    expect(covered, lender);
    emit('funded', covered, fundedAt, lender);
    emit('over', posting.amount - covered, fundedAt, lender);
  }
  const rest = amount - Math.min(paid, amount);
  const [first = mistyped[0]] = postings;
  const lender = first ? lenderOf(first.funding.lenderName, examined.policy) : onlyLender;
  expect(rest, lender);
  const at = givenUpAt(examined, expectation, rest, residual);
  if (at !== undefined) emit('short', rest, at, lender);
}

/**
 * Allocates an amount to the lines of a settle, first line first. A negative amount undoes the
 * latest allocation first.
 */
function inTurn(
  lines: readonly LedgerLine[],
  take: (part: number, occurredAt: number, lender: string) => void,
): (amount: number, lender: string) => void {
  let place = 0;
  let taken = 0;
  return (amount, lender) => {
    let left = amount;
    for (let line = lines[place]; line; line = lines[place]) {
      const isLast = left > 0 ? place === lines.length - 1 : place === 0;
      const most = left > 0 ? line.amount - taken : -taken;
      const part = isLast || Math.abs(left) <= Math.abs(most) ? left : most;
      take(part, line.occurredAt, lender);
      taken += part;
      left -= part;
      if (left === 0) return;
      place += Math.sign(left);
      taken = left > 0 ? 0 : (lines[place]?.amount ?? 0);
    }
  };
}

/** Returns the time from which the unpaid rest of a settle is short; undefined while it is in transit. */
function givenUpAt(
  { policy, tolerance, dueAt, isAbsent, isLate }: Examination,
  expectation: Expectation,
  rest: number,
  residual: Residual,
): number | undefined {
  const { occurredAt, postings, mistyped } = expectation;
  const wrong = mistyped.at(-1);
  if (wrong && isMisstated(expectation, tolerance)) return wrong.funding.fundedAt;
  const isResidual = rest <= tolerance;
  if (isResidual && residual.sum >= -tolerance) {
    const last = postings.findLast(({ isDuplicate }) => !isDuplicate);
    return last?.funding.fundedAt ?? occurredAt;
  }
  // Each line is within tolerance but their sum is not, so they are awaited until the last one is late.
  const due = isResidual ? residual.since : dueAt(expectation);
  return isLate(due) && (isResidual || isAbsent(expectation))
    ? lateAfter(due, policy.slaDays)
    : undefined;
}

/** Returns the lender that owes an unpaid expectation: the order's only lender, or else "". */
function onlyLenderOf({ postings, policy }: Examination): string {
  const lenders = new Set(postings.map(({ funding }) => lenderOf(funding.lenderName, policy)));
  const [only = ''] = lenders;
  return lenders.size === 1 ? only : '';
}

function emitPosting({ policy }: Examination, posting: Posting, emit: Emit): void {
  const { kind, amount, discount, net, funding } = posting;
  if (kind === 'none') return;
  const lender = lenderOf(funding.lenderName, policy);
  const { fundedAt } = funding;
  const sign = signOf(kind);
  if (kind === 'unknown') {
    emit('net', net, fundedAt, lender);
    return;
  }
  emit('net', sign * net, fundedAt, lender);
  emit('discount', -sign * discount, fundedAt, lender);
  const step = stepOf(posting);
  if (step) emit(step, sign * amount, fundedAt, lender);
}

/**
 * Returns the step of a posting; undefined for a settle that pays an expectation, which
 * emitExpectation covers.
 */
function stepOf({ kind, isDuplicate, isMistyped, expectation }: Posting): FlowStep | undefined {
  if (isDuplicate) return 'duplicates';
  if (isMistyped) return 'other';
  switch (kind) {
    case 'settle':
      return expectation ? undefined : 'other';
    case 'refund':
      return expectation ? 'refunds' : 'other';
    case 'chargeback':
      return 'chargebacks';
    case 'reversal':
      return 'reversals';
    case 'none':
    case 'unknown':
      return undefined;
  }
}
