import { agreedOf, deviationsOf, discountedGroups, fixedOf, rateOf } from '../checks/discounts.ts';
import { exact } from '../order/exact-sum.ts';
import { examine } from '../checks/examination.ts';
import type { FundingLine, OrderLines, Policy } from '../order/lines.ts';
import { agreedAt, contractOf } from '../policy/contract.ts';
import { lenderOf } from '../policy/lender.ts';
import { share } from '../policy/share.ts';

/**
 * Discounts of one lender, product, promo code and contract: kept from settles and returned on
 * refunds. Minor units.
 */
export interface DiscountSums {
  currency: string;
  lender: string;
  productType: string | undefined;
  promoCode: string | undefined;
  /** The contract's rate, if there is a contract. */
  basisPoints: number | undefined;
  /** Additional fixed amount per settle, in minor units. */
  perSettle: number;
  /** Start of the contract, in milliseconds since 1970; undefined: no start. */
  agreedFrom: number | undefined;
  settles: {
    count: number;
    amount: number;
    discount: number;
    /** Kept in excess of the contract, as in MDR_VARIANCE for settles; negative: kept less. */
    variance: number;
  };
  refunds: {
    count: number;
    amount: number;
    returned: number;
    /**
     * Contractually due back but kept, as in MDR_NOT_RETURNED; negative: returned in excess of the
     * contract, as in MDR_VARIANCE for refunds.
     */
    variance: number;
    /**
     * Part of the contracted share that was not returned, even if the contract lets the lender keep
     * it.
     */
    kept: number;
  };
}

/** Discounts that were posted at the same time. */
export interface PostedDiscounts {
  /** Milliseconds since 1970. */
  at: number;
  sums: DiscountSums;
}

/**
 * Returns an order's discounts by funding time, excluding duplicates and postings of a wrong type.
 * The variance of a transaction with several fundings is attributed to the first one.
 * @throws {InexactOrderError} as reconcileOrder does
 * @throws {RangeError} when a sum is no longer exact
 */
export function postedDiscounts(order: OrderLines, policy: Policy): PostedDiscounts[] {
  const examined = examine(order, policy);
  const posted = new Map<string, PostedDiscounts>();
  const sumsOf = (funding: FundingLine): DiscountSums => {
    const sums = noneOf(order, funding, policy);
    const key = `${funding.fundedAt} ${keyOf(sums)}`;
    const known = posted.get(key);
    if (known) return known.sums;
    posted.set(key, { at: funding.fundedAt, sums });
    return sums;
  };
  for (const posting of examined.postings) {
    const { kind, amount, discount, funding, isDuplicate, isMistyped } = posting;
    if (isDuplicate || isMistyped) continue;
    if (kind === 'settle') {
      const { settles } = sumsOf(funding);
      settles.count += 1;
      settles.amount = exact(settles.amount + amount);
      settles.discount = exact(settles.discount + discount);
    } else if (kind === 'refund') {
      const { refunds, basisPoints } = sumsOf(funding);
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
    const { settles, refunds } = sumsOf(first.funding);
    const own = group.kind === 'settle' ? settles : refunds;
    own.variance = exact(own.variance + kept);
  }
  return [...posted.values()];
}

/** The actual and contracted discount of one transaction. Minor units. */
export interface AgreedDiscount {
  kind: 'settle' | 'refund';
  lender: string;
  productType: string | undefined;
  promoCode: string | undefined;
  /** Amount funded, in one or several parts, without duplicates. */
  amount: number;
  /** The contract's rate: kept from a settle or returned on a refund. */
  basisPoints: number;
  /** Additional fixed amount for the settle as a whole. */
  perSettle: number;
  /** Start of the contract, in milliseconds since 1970; undefined: no start. */
  from: number | undefined;
  /** The contract's share of the amount, rounded half up, plus the fixed amount. */
  agreed: number;
  /** Discount kept from the settle or returned on the refund. */
  discount: number;
  /**
   * Kept in excess of the contract, as the exceptions define it; 0 if rounding explains the
   * difference.
   */
  kept: number;
}

/**
 * Returns an order's contracted discounts, in the order of their fundings.
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

/** Returns the terms of a funding's discounts, with all sums at zero. */
function noneOf(order: OrderLines, funding: FundingLine, policy: Policy): DiscountSums {
  const { currency } = order;
  const contract = contractOf(funding, policy, agreedAt(order));
  const { productType, promoCode } = funding;
  return {
    currency,
    lender: lenderOf(funding.lenderName, policy),
    productType,
    promoCode,
    basisPoints: contract?.basisPoints,
    perSettle: contract ? fixedOf('settle', contract, currency, 1) : 0,
    agreedFrom: contract?.from,
    settles: { count: 0, amount: 0, discount: 0, variance: 0 },
    refunds: { count: 0, amount: 0, returned: 0, variance: 0, kept: 0 },
  };
}

function keyOf({ currency, lender, productType, promoCode, agreedFrom }: DiscountSums): string {
  return JSON.stringify([currency, lender, productType, promoCode, agreedFrom]);
}
