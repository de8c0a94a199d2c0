import type { Span } from '../platform/period.ts';
import { moneyViews } from '../statuses/money-views.ts';
import { postedWithin } from './money.ts';
import type { ShareFilter } from './order-filter.ts';

/** Fundings with a certain status of the service, as counted by the radar. */
export interface ClaimedFundings {
  status: string;
  /** Only fundings with a correct status, or only those with a wrong one. */
  verdict: 'right' | 'wrong' | undefined;
  /** Canonical name. */
  lender: string | undefined;
  span: Span;
}

const sums = {
  all: { amount: 'amount', count: 'count' },
  right: { amount: 'amount - wrong_amount', count: 'count - wrong_count' },
  wrong: { amount: 'wrong_amount', count: 'wrong_count' },
} as const;

/** Returns the filter for orders with these fundings. Their shares add up to the radar's amount. */
export function claimFilter({ status, verdict, lender, span }: ClaimedFundings): ShareFilter {
  const { amount, count } = sums[verdict ?? 'all'];
  const parameters: ShareFilter['parameters'] = { claim_status: status };
  if (lender !== undefined) parameters.claim_lender = lender;
  return {
    shares: `select order_key, currency, sum(${amount})::bigint as share,
        sum(${count})::bigint as fundings
      from (${moneyViews.claims}) where status = $claim_status and ${postedWithin(span)}
        ${lender === undefined ? '' : 'and lender = $claim_lender'}
      group by order_key, currency having sum(${count}) > 0`,
    parameters,
    countsFundings: true,
  };
}
