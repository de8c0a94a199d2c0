import { examine, type Examination } from './examination.ts';
import { type Expectation, isMisstated } from './expectation.ts';
import { signOf } from './kind.ts';
import type { LedgerLine, OrderLines, Policy } from './lines.ts';
import type { Posting } from './posting.ts';
import { residualsOf, type Residual } from './shortfall.ts';
import { lateAfter, lenderOf } from './terms.ts';

/**
 * What moves between the merchant's books and the bank. `expected` is what was settled, `funded`
 * what of it was paid, `short` what of it is not coming; the others are signed as money is.
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
  /** In no ledger line, or posted under a wrong type. */
  'other',
  'discount',
  /** What lenders say they paid out, from their net amounts alone. */
  'net',
] as const;
export type FlowStep = (typeof flowSteps)[number];

/** One movement of an order's money. Minor units. */
export interface CashFlow {
  currency: string;
  /** Empty while no lender has posted anything for the order. */
  lender: string;
  /** When it moved: milliseconds since 1970. A walk is of the days of any zone. */
  at: number;
  step: FlowStep;
  amount: number;
}

/**
 * All movements of an order as they look from today: a settle that was late and is funded now was
 * never short. What is not funded and may still be moves nowhere: it is in transit.
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

/** What of a settle was paid, by whom, and what is not coming. */
function emitExpectation(
  examined: Examination,
  expectation: Expectation,
  residual: Residual,
  onlyLender: string,
  emit: Emit,
): void {
  const { amount, postings, mistaken } = expectation;
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
    // Expected of the lender that paid it, so that each lender's own walk adds up.
    expect(covered, lender);
    emit('funded', covered, fundedAt, lender);
    emit('over', posting.amount - covered, fundedAt, lender);
  }
  const rest = amount - Math.min(paid, amount);
  const [first = mistaken[0]] = postings;
  const lender = first ? lenderOf(first.funding.lenderName, examined.policy) : onlyLender;
  expect(rest, lender);
  const at = givenUpAt(examined, expectation, rest, residual);
  if (at !== undefined) emit('short', rest, at, lender);
}

/** Takes parts of a settle from its lines, the first one first; what is negative gives back the last. */
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

/** When what is left of a settle ceased to be on its way; undefined while it is. */
function givenUpAt(
  { tolerance, dueAt, isAbsent, isLate }: Examination,
  expectation: Expectation,
  rest: number,
  residual: Residual,
): number | undefined {
  const { occurredAt, postings, mistaken } = expectation;
  const wrong = mistaken.at(-1);
  if (wrong && isMisstated(expectation, tolerance)) return wrong.funding.fundedAt;
  const isResidual = rest <= tolerance;
  if (isResidual && residual.sum >= -tolerance) {
    const last = postings.findLast(({ isDuplicate }) => !isDuplicate);
    return last?.funding.fundedAt ?? occurredAt;
  }
  // What is let pass line by line, and not together, is awaited until the last of it is late.
  const due = isResidual ? residual.since : dueAt(expectation);
  return isLate(due) && (isResidual || isAbsent(expectation)) ? lateAfter(due) : undefined;
}

/** Who is to pay what nobody has begun to pay: the order's lender, if there is but one. */
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

/** Undefined for a settle that pays what was expected: that is told with the expectation. */
function stepOf({ kind, isDuplicate, isMistaken, expectation }: Posting): FlowStep | undefined {
  if (isDuplicate) return 'duplicates';
  if (isMistaken) return 'other';
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
