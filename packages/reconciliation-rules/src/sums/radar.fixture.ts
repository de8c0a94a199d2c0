import type { OrderLines, Policy } from '../order/lines.ts';
import { postedClaims, type ClaimSums } from './radar.ts';

/** Status claims about the fundings of all orders, by currency, lender and status. */
export type ClaimRadar = Map<string, ClaimSums>;

/** Adds the claims about an order's fundings to a radar in place. */
export function sweepClaims(radar: ClaimRadar, order: OrderLines, policy: Policy): ClaimRadar {
  for (const { sums } of postedClaims(order, policy)) {
    const key = JSON.stringify([sums.currency, sums.lender, sums.status]);
    const own = radar.get(key) ?? {
      ...sums,
      all: { count: 0, amount: 0 },
      wrong: { count: 0, amount: 0 },
    };
    radar.set(key, own);
    for (const name of ['all', 'wrong'] as const) {
      own[name].count += sums[name].count;
      own[name].amount += sums[name].amount;
    }
  }
  return radar;
}
