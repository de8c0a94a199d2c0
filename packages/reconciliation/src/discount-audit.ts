import { deviationsOf, discountedGroups } from './discount.ts';
import { examine } from './examination.ts';
import type { FundingLine, OrderLines, Policy } from './lines.ts';
import { contractOf, lenderOf, share } from './terms.ts';

/** What a lender kept of settles under one product and promo code, and gave back. Minor units. */
export interface DiscountSums {
  currency: string;
  lender: string;
  productType: string | undefined;
  promoCode: string | undefined;
  /** What the contract says, if there is one. */
  basisPoints: number | undefined;
  settles: {
    count: number;
    amount: number;
    discount: number;
    /** Kept beyond the contract; negative, less than it. What MDR_VARIANCE says of orders. */
    variance: number;
  };
  refunds: {
    count: number;
    amount: number;
    /** Discount given back. */
    returned: number;
    /** Not given back, though the contract says so. */
    variance: number;
    /** Not given back of the contracted share, whether the contract gives it back or not. */
    kept: number;
  };
}

/** By currency, lender, product type and promo code. */
export type DiscountAudit = Map<string, DiscountSums>;

/**
 * Adds an order to an audit, in place. What was posted twice or under a wrong type is left out.
 * @throws {RangeError} as reconcileOrder does
 */
export function auditDiscounts(
  audit: DiscountAudit,
  order: OrderLines,
  policy: Policy,
): DiscountAudit {
  const { postings } = examine(order, policy);
  for (const { kind, amount, discount, funding, isDuplicate, isMistaken } of postings) {
    if (isDuplicate || isMistaken) continue;
    if (kind === 'settle') {
      const { settles } = sumsOf(audit, order.currency, funding, policy);
      settles.count += 1;
      settles.amount += amount;
      settles.discount += discount;
    } else if (kind === 'refund') {
      const { refunds, basisPoints } = sumsOf(audit, order.currency, funding, policy);
      refunds.count += 1;
      refunds.amount += amount;
      refunds.returned += discount;
      if (basisPoints !== undefined) refunds.kept += share(amount, basisPoints, 5_000) - discount;
    }
  }
  for (const { group, kept } of deviationsOf(discountedGroups(postings, policy))) {
    const [first] = group.postings;
    if (!first) continue;
    const sums = sumsOf(audit, order.currency, first.funding, policy);
    if (group.kind === 'settle') sums.settles.variance += kept;
    else sums.refunds.variance += kept;
  }
  return audit;
}

/** Adds one audit to another, in place: of slices of orders that were audited apart. */
export function mergeAudits(audit: DiscountAudit, other: DiscountAudit): DiscountAudit {
  for (const [key, sums] of other) {
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

/** The rate that was in fact kept of settles, in basis points; undefined where none was funded. */
export function effectiveBasisPoints({ settles }: DiscountSums): number | undefined {
  return settles.amount === 0 ? undefined : (settles.discount / settles.amount) * 10_000;
}

function sumsOf(
  audit: DiscountAudit,
  currency: string,
  funding: FundingLine,
  policy: Policy,
): DiscountSums {
  const lender = lenderOf(funding.lenderName, policy);
  const { productType, promoCode } = funding;
  const key = JSON.stringify([currency, lender, productType, promoCode]);
  let sums = audit.get(key);
  if (!sums) {
    sums = {
      currency,
      lender,
      productType,
      promoCode,
      basisPoints: contractOf(funding, policy)?.basisPoints,
      settles: { count: 0, amount: 0, discount: 0, variance: 0 },
      refunds: { count: 0, amount: 0, returned: 0, variance: 0, kept: 0 },
    };
    audit.set(key, sums);
  }
  return sums;
}
