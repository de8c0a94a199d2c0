import type { FundingLine, LedgerLine, Policy } from './lines.ts';
import { order, policy } from './order.fixture.ts';
import { reconcileOrder } from './order-status.ts';

/** The terms of the tests, with so many minor units that are let pass. */
export const lenient = (minorUnits: number): Policy => ({
  ...policy,
  tolerance: { minorUnits, basisPoints: 0 },
});

/** What is found to be wrong with an order whose discounts nobody agreed on. */
export function found(
  ledger: readonly LedgerLine[],
  fundings: readonly FundingLine[],
  terms: Policy = policy,
): [code: string, amount: number][] {
  const status = reconcileOrder(order(ledger, fundings), { ...terms, contracts: [] });
  return status.exceptions.map(({ code, amount }) => [code, amount]);
}
