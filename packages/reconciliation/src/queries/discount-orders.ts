import type { Span } from '../platform/period.ts';
import { moneyViews } from '../statuses/money-views.ts';
import { postedWithin } from './money.ts';
import type { ShareFilter } from './order-filter.ts';

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

const sums = {
  settles: { amount: 'settle_discount', count: 'settle_count' },
  refunds: { amount: 'refund_returned', count: 'refund_count' },
} as const;

/** Returns the filter for orders with these fundings. Their shares add up to the discount of the row. */
export function discountFilter({ part, lender, span, ...row }: DiscountedFundings): ShareFilter {
  const { amount, count } = sums[part];
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
