import { flowSteps, type CashFlow, type FlowStep } from './cash-flow.ts';
import { exact } from './exact.ts';

const DAY = 86_400_000;

/** Sums of movements by currency, lender and UTC day. Add to it, or merge two: the order is free. */
export type CashWalk = Map<string, CashWalkDay>;

export interface CashWalkDay {
  currency: string;
  lender: string;
  /** First millisecond of the UTC day. */
  day: number;
  sums: Record<FlowStep, number>;
}

/**
 * From what was expected to what was posted, in one currency. Minor units, each signed as it counts:
 * the sum of all but `net` and `unexplained` is what `net` should be.
 *
 * It is as it looks from now, also of a period that is over: what was called short in it is in transit
 * once it is paid, and what a period closed with is its own no longer. Whoever closes books keeps the
 * statement that they were closed with.
 */
export interface WalkStatement {
  currency: string;
  /** Expected before the period and neither paid nor given up by then. */
  opening: number;
  expected: number;
  /** In transit at the end of the period: not paid, and not late. Negative, as it is not in the bank. */
  awaiting: number;
  short: number;
  over: number;
  refunds: number;
  chargebacks: number;
  reversals: number;
  duplicates: number;
  other: number;
  discount: number;
  /** Net of all that lenders posted in the period. */
  net: number;
  /**
   * What of `net` no step accounts for. Zero, unless a net amount is not gross less discount
   * (NET_MISMATCH, and the single units that it lets pass), or the type of a funding is unknown.
   */
  unexplained: number;
}

/** Adds movements to a walk, in place. @throws {RangeError} when a sum can no longer be exact */
export function addFlows(walk: CashWalk, flows: Iterable<CashFlow>): CashWalk {
  for (const { currency, lender, at, step, amount } of flows) {
    const day = Math.floor(at / DAY) * DAY;
    const { sums } = dayOf(walk, currency, lender, day);
    sums[step] = exact(sums[step] + amount);
  }
  return walk;
}

/** Adds one walk to another, in place: of slices of orders that were summed apart. */
export function mergeWalks(walk: CashWalk, other: CashWalk): CashWalk {
  for (const { currency, lender, day, sums } of other.values()) {
    const own = dayOf(walk, currency, lender, day).sums;
    for (const step of flowSteps) own[step] = exact(own[step] + sums[step]);
  }
  return walk;
}

/** Which part of a walk a statement is about. */
export interface WalkWindow {
  /** All lenders together without one. */
  lender?: string | undefined;
  /** First millisecond of the first UTC day; without one from the beginning. */
  from?: number | undefined;
  /** First millisecond of the UTC day after the last one; without one to the end. */
  to?: number | undefined;
}

/**
 * The statement of a period in each currency, by currency code: never summed across. What was in
 * transit when it began comes from the days before, so that periods follow on each other.
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
  // A lender's name may hold any character; the two before it cannot hold a space.
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
