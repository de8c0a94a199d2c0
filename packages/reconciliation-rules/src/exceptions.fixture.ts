import type { FundingLine, LedgerLine, Policy } from './order/lines.ts';
import { order, policy } from './order.fixture.ts';
import { reconcileOrder } from './status/order-status.ts';

/** Returns the test policy with a tolerance in minor units. */
export const lenient = (minorUnits: number): Policy => ({
  ...policy,
  tolerance: { minorUnits, basisPoints: 0 },
});

/** Returns the exceptions of an order without discount contracts. */
export function findExceptions(
  ledger: readonly LedgerLine[],
  fundings: readonly FundingLine[],
  terms: Policy = policy,
): [code: string, amount: number][] {
  const status = reconcileOrder(order(ledger, fundings), { ...terms, contracts: [] });
  return status.exceptions.map(({ code, amount }) => [code, amount]);
}
