import type { Span } from '../basis/period.ts';
import { moneyViews } from '../../statuses/money-views.ts';
import { postedWithin } from './money.ts';
import type { ShareFilter } from '../orders/order-filter.ts';

/** Selects fundings of a row in the discount audit. Absent fields select the row without that value. */
export interface DiscountedFundings {
  /** Discounts kept from settles, or returned with refunds. */
  part: 'settles' | 'refunds';
  /** Canonical name. */
  lender: string | undefined;
  productType: string | undefined;
  promoCode: string | undefined;
  /** Start of the contract, in milliseconds since 1970. */
  agreedFrom: number | undefined;
  span: Span;
}

const discountSums = {
  settles: { amount: 'settle_discount', count: 'settle_count' },
  refunds: { amount: 'refund_returned', count: 'refund_count' },
} as const;

/** Returns the filter for orders with these fundings. Their shares add up to the discount of the row. */
export function discountFilter({ part, lender, span, ...row }: DiscountedFundings): ShareFilter {
  const { amount, count } = discountSums[part];
  const parameters: ShareFilter['parameters'] = {};
  const conditions = [postedWithin(span)];
  const equals = (column: string, value: string | number | undefined) => {
    if (value === undefined) return conditions.push(`${column} is null`);
    parameters[`own_${column}`] = value;
    return conditions.push(`${column} = $own_${column}`);
  };
  if (lender !== undefined) equals('lender', lender);
  equals('product_type', row.productType);
  equals('promo_code', row.promoCode);
  equals('agreed_from', row.agreedFrom);
  return {
    shares: `select order_key, currency, sum(${amount})::bigint as share,
        sum(${count})::bigint as fundings
      from (${moneyViews.discounts}) where ${conditions.join(' and ')}
      group by order_key, currency having sum(${count}) > 0`,
    parameters,
    countsFundings: true,
  };
}

/** Fundings with a status of the service, as the radar counts them. */
interface ClaimedFundings {
  status: string;
  /** Only fundings whose status is right, or only those whose status is wrong. */
  verdict: 'right' | 'wrong' | undefined;
  /** Canonical name. */
  lender: string | undefined;
  span: Span;
}

const claimSums = {
  all: { amount: 'amount', count: 'count' },
  right: { amount: 'amount - wrong_amount', count: 'count - wrong_count' },
  wrong: { amount: 'wrong_amount', count: 'wrong_count' },
} as const;

/** Returns the filter for orders with these fundings. Their shares add up to the radar's amount. */
export function claimFilter({ status, verdict, lender, span }: ClaimedFundings): ShareFilter {
  const { amount, count } = claimSums[verdict ?? 'all'];
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
