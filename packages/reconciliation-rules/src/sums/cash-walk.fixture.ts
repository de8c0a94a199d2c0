import { flowSteps, type CashFlow, type FlowStep } from './cash-flow.ts';
import { exact } from '../order/exact-sum.ts';

const DAY = 86_400_000;

/** Sums of movements by currency, lender and UTC day. */
export type CashWalk = Map<string, CashWalkDay>;

export interface CashWalkDay {
  currency: string;
  lender: string;
  /** First millisecond of the UTC day. */
  day: number;
  sums: Record<FlowStep, number>;
}

/**
 * The steps from the expected to the posted amount, in one currency. Signed minor units: the sum of
 * all fields except `net` and `unexplained` should equal `net`.
 *
 * A statement reflects current knowledge, even for past periods: an amount that was short counts as
 * in transit once a lender pays it. Keep the statement with which you closed a period.
 */
export interface WalkStatement {
  currency: string;
  /** Expected before the period, and neither paid nor given up by its start. */
  opening: number;
  expected: number;
  /**
   * In transit at the end of the period: unpaid and not late. Negative, because the money is not in
   * the bank.
   */
  awaiting: number;
  short: number;
  over: number;
  refunds: number;
  chargebacks: number;
  reversals: number;
  duplicates: number;
  other: number;
  discount: number;
  /** Net total of all fundings that lenders posted in the period. */
  net: number;
  /**
   * The part of `net` that no step explains. Zero, unless a net amount differs from gross less
   * discount (NET_MISMATCH, including the single units that its tolerance covers) or a funding has
   * an unknown type.
   */
  unexplained: number;
}

/** Adds movements to a walk in place. @throws {RangeError} when a sum is no longer exact */
export function addFlows(walk: CashWalk, flows: Iterable<CashFlow>): CashWalk {
  for (const { currency, lender, at, step, amount } of flows) {
    const day = Math.floor(at / DAY) * DAY;
    const { sums } = dayOf(walk, currency, lender, day);
    sums[step] = exact(sums[step] + amount);
  }
  return walk;
}

/** The lender and period of a statement. */
export interface WalkWindow {
  /** Undefined for all lenders together. */
  lender?: string | undefined;
  /** First millisecond of the first UTC day; undefined: no lower bound. */
  from?: number | undefined;
  /** First millisecond of the UTC day after the last day; undefined: no upper bound. */
  to?: number | undefined;
}

/**
 * Returns the statement of a period for each currency, sorted by currency code. Currencies are
 * never added together. The opening amount comes from the days before the period, so that
 * consecutive periods connect.
 */
export function walkStatements(walk: CashWalk, window: WalkWindow = {}): WalkStatement[] {
  const { lender, from = -Infinity, to = Infinity } = window;
  const statements = new Map<string, { opening: number; sums: Record<FlowStep, number> }>();
  for (const { currency, lender: owner, day, sums } of walk.values()) {
    if ((lender !== undefined && owner !== lender) || day >= to) continue;
    let found = statements.get(currency);
    if (!found) statements.set(currency, (found = { opening: 0, sums: noSums() }));
    if (day < from) {
      found.opening = exact(found.opening + sums.expected - sums.funded - sums.short);
    } else {
      for (const step of flowSteps) found.sums[step] = exact(found.sums[step] + sums[step]);
    }
  }
  return [...statements]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, { opening, sums }]) => statementOf(currency, opening, sums));
}

function statementOf(
  currency: string,
  opening: number,
  sums: Record<FlowStep, number>,
): WalkStatement {
  const { expected, funded, short, net, ...steps } = sums;
  const inTransit = opening + expected - funded - short;
  const explained = Object.values(steps).reduce((sum, amount) => sum + amount, funded);
  return {
    currency,
    opening,
    expected,
    awaiting: 0 - inTransit,
    short: 0 - short,
    ...steps,
    net,
    unexplained: exact(net - explained),
  };
}

function dayOf(walk: CashWalk, currency: string, lender: string, day: number): CashWalkDay {
  // Only the lender's name, which comes last, may contain a space.
  const key = `${currency} ${day} ${lender}`;
  let found = walk.get(key);
  if (!found) walk.set(key, (found = { currency, lender, day, sums: noSums() }));
  return found;
}

function noSums(): Record<FlowStep, number> {
  return {
    expected: 0,
    funded: 0,
    short: 0,
    over: 0,
    refunds: 0,
    chargebacks: 0,
    reversals: 0,
    duplicates: 0,
    other: 0,
    discount: 0,
    net: 0,
  };
}
