import type { OrderLines, Policy } from '../order/lines.ts';
import { postedDiscounts, type DiscountSums } from './discount-audit.ts';

/** Discounts of all orders, by currency, lender, product type, promo code and contract start. */
export type DiscountAudit = Map<string, DiscountSums>;

/** Adds an order to an audit in place. */
export function auditDiscounts(
  audit: DiscountAudit,
  order: OrderLines,
  policy: Policy,
): DiscountAudit {
  for (const { sums } of postedDiscounts(order, policy)) {
    const { currency, lender, productType, promoCode, agreedFrom } = sums;
    const key = JSON.stringify([currency, lender, productType, promoCode, agreedFrom]);
    const own = audit.get(key);
    if (!own) {
      audit.set(key, { ...sums, settles: { ...sums.settles }, refunds: { ...sums.refunds } });
      continue;
    }
    for (const name of ['count', 'amount', 'discount', 'variance'] as const) {
      own.settles[name] += sums.settles[name];
    }
    for (const name of ['count', 'amount', 'returned', 'variance', 'kept'] as const) {
      own.refunds[name] += sums.refunds[name];
    }
  }
  return audit;
}

/** Returns the rate kept from settles, in basis points; undefined if no settle was funded. */
export function effectiveBasisPoints({ settles }: DiscountSums): number | undefined {
  return settles.amount === 0 ? undefined : (settles.discount / settles.amount) * 10_000;
}
