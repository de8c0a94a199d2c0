import { agreedOf, deviationsOf, discountedGroups, fixedOf, rateOf } from './discount.ts';
import { exact } from './exact.ts';
import { examine } from './examination.ts';
import type { FundingLine, OrderLines, Policy } from './lines.ts';
import { agreedAt, contractOf, lenderOf, share } from './terms.ts';

/** What a lender kept of settles under one product, promo code and contract, and gave back. Minor units. */
export interface DiscountSums {
  currency: string;
  lender: string;
  productType: string | undefined;
  promoCode: string | undefined;
  /** What the contract says, if there is one. */
  basisPoints: number | undefined;
  /** Agreed of each settle besides, in minor units. */
  perSettle: number;
  /** Since when it says so, in milliseconds since 1970; undefined: ever. */
  agreedFrom: number | undefined;
  settles: {
    count: number;
    amount: number;
    discount: number;
    /** Kept beyond the contract; negative, less than it. What MDR_VARIANCE says of settles. */
    variance: number;
  };
  refunds: {
    count: number;
    amount: number;
    /** Discount given back. */
    returned: number;
    /**
     * Not given back, though the contract says so, as MDR_NOT_RETURNED says it; negative, given back
     * beyond the contract, as MDR_VARIANCE says it of refunds.
     */
    variance: number;
    /** Not given back of the contracted share, whether the contract gives it back or not. */
    kept: number;
  };
}

/** By currency, lender, product type, promo code and the moment the contract began. */
export type DiscountAudit = Map<string, DiscountSums>;

/**
 * Adds an order to an audit, in place. What was posted twice or under a wrong type is left out.
 * @throws {InexactOrderError} as reconcileOrder does; then the audit is as it was
 * @throws {RangeError} when a sum can no longer be exact
 */
export function auditDiscounts(
  audit: DiscountAudit,
  order: OrderLines,
  policy: Policy,
): DiscountAudit {
  const examined = examine(order, policy);
  const { postings } = examined;
  const sums = (funding: FundingLine) => sumsOf(audit, order, funding, policy);
  for (const { kind, amount, discount, funding, isDuplicate, isMistaken } of postings) {
    if (isDuplicate || isMistaken) continue;
    if (kind === 'settle') {
      const { settles } = sums(funding);
      settles.count += 1;
      settles.amount = exact(settles.amount + amount);
      settles.discount = exact(settles.discount + discount);
    } else if (kind === 'refund') {
      const { refunds, basisPoints } = sums(funding);
      refunds.count += 1;
      refunds.amount = exact(refunds.amount + amount);
      refunds.returned = exact(refunds.returned + discount);
      if (basisPoints !== undefined) {
        refunds.kept = exact(refunds.kept + share(amount, basisPoints, 'half-up') - discount);
      }
    }
  }
  for (const { group, kept } of deviationsOf(discountedGroups(examined))) {
    const [first] = group.postings;
    if (!first) continue;
    const { settles, refunds } = sums(first.funding);
    const own = group.kind === 'settle' ? settles : refunds;
    own.variance = exact(own.variance + kept);
  }
  return audit;
}

/**
 * Adds one audit to another, in place: of slices of orders that were audited apart.
 * @throws {RangeError} when a sum can no longer be exact
 */
export function mergeAudits(audit: DiscountAudit, other: DiscountAudit): DiscountAudit {
  for (const [key, sums] of other) {
    const own = audit.get(key);
    if (!own) {
      audit.set(key, { ...sums, settles: { ...sums.settles }, refunds: { ...sums.refunds } });
      continue;
    }
    for (const name of ['count', 'amount', 'discount', 'variance'] as const) {
      own.settles[name] = exact(own.settles[name] + sums.settles[name]);
    }
    for (const name of ['count', 'amount', 'returned', 'variance', 'kept'] as const) {
      own.refunds[name] = exact(own.refunds[name] + sums.refunds[name]);
    }
  }
  return audit;
}

/** The discount of one transaction, beside the contract it goes by. Minor units. */
export interface AgreedDiscount {
  kind: 'settle' | 'refund';
  lender: string;
  productType: string | undefined;
  promoCode: string | undefined;
  /** Funded in full or in parts, what was posted twice left out. */
  amount: number;
  /** What the contract says: kept of a settle, given back with a refund. */
  basisPoints: number;
  /** Agreed besides, of the settle as a whole. */
  perSettle: number;
  /** Since when it says so, in milliseconds since 1970; undefined: ever. */
  from: number | undefined;
  /** The contract's share of the amount, rounded half up, with what is agreed besides. */
  agreed: number;
  /** What was kept of the settle, or given back with the refund. */
  discount: number;
  /** Kept beyond the contract, as the exceptions have it; 0 where rounding explains the difference. */
  kept: number;
}

/**
 * The discounts of an order that a contract says something of, in the order of their fundings.
 * @throws {InexactOrderError} as reconcileOrder does
 */
export function agreedDiscounts(order: OrderLines, policy: Policy): AgreedDiscount[] {
  const groups = discountedGroups(examine(order, policy));
  const deviations = new Map(deviationsOf(groups).map(({ group, kept }) => [group, kept]));
  return groups.flatMap((group) => {
    const { kind, contract, currency, postings, amount, discount } = group;
    const [first] = postings;
    if (!first) return [];
    const { lenderName, productType, promoCode } = first.funding;
    return {
      kind,
      lender: lenderOf(lenderName, policy),
      productType,
      promoCode,
      amount,
      basisPoints: rateOf(kind, contract),
      perSettle: fixedOf(kind, contract, currency, amount),
      from: contract.from,
      agreed: agreedOf(group),
      discount,
      kept: deviations.get(group) ?? 0,
    };
  });
}

/** The rate that was in fact kept of settles, in basis points; undefined where none was funded. */
export function effectiveBasisPoints({ settles }: DiscountSums): number | undefined {
  return settles.amount === 0 ? undefined : (settles.discount / settles.amount) * 10_000;
}

function sumsOf(
  audit: DiscountAudit,
  order: OrderLines,
  funding: FundingLine,
  policy: Policy,
): DiscountSums {
  const { currency } = order;
  const contract = contractOf(funding, policy, agreedAt(order));
  const lender = lenderOf(funding.lenderName, policy);
  const { productType, promoCode } = funding;
  const key = JSON.stringify([currency, lender, productType, promoCode, contract?.from]);
  let sums = audit.get(key);
  if (!sums) {
    sums = {
      currency,
      lender,
      productType,
      promoCode,
      basisPoints: contract?.basisPoints,
      perSettle: contract ? fixedOf('settle', contract, currency, 1) : 0,
      agreedFrom: contract?.from,
      settles: { count: 0, amount: 0, discount: 0, variance: 0 },
      refunds: { count: 0, amount: 0, returned: 0, variance: 0, kept: 0 },
    };
    audit.set(key, sums);
  }
  return sums;
}
