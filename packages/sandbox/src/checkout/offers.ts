import type { FinancialProductType, Lender } from '../lenders/lenders.ts';
import { currencyDigits } from '../platform/money.ts';
import { repaymentOf } from './repayment.ts';
import type { Session } from './session.ts';

/** An offer to one shopper. Amounts are in minor units. */
export interface Offer {
  code: string;
  lenderId: string;
  lenderName: string;
  productType: FinancialProductType;
  /** The financed amount and total of the charge; for a lease, less than the order's total. */
  amount: number;
  /** The maximum that this offer would finance. */
  creditLimit: number;
  months: number;
  aprBasisPoints: number;
  isPromotional: boolean;
  payment: number;
  lastPayment: number;
  total: number;
  /** Cost in addition to `amount`: the interest of a loan, the cost of a lease. */
  interest: number;
}

/**
 * Returns the lenders' offers for an order: loans before leases, because a lease is a different
 * kind of product; within each kind, the lowest total first.
 */
export function offersFor(session: Session, lenders: readonly Lender[]): Offer[] {
  return lenders
    .flatMap((lender) => {
      const { id: lenderId, name: lenderName, offer } = lender;
      const { code, productType, months, aprBasisPoints, isPromotional = false } = offer;
      const terms = { code, productType, months, aprBasisPoints, isPromotional };
      const amount = financedBy(lender, session);
      if (amount <= 0 || (isLease(offer) && !isLeasable(session))) return [];
      const creditLimit = creditLimitFor(amount, session.currency);
      const { payment, lastPayment, total, interest } = planFor(amount, offer);
      const sums = { amount, creditLimit, payment, lastPayment, total, interest };
      return [{ ...terms, lenderId, lenderName, ...sums }];
    })
    .sort((a, b) => Number(isLease(a)) - Number(isLease(b)) || a.total - b.total);
}

export function isLease({ productType }: Pick<Offer, 'productType'>): boolean {
  return productType === 'LeaseToOwn';
}

/**
 * Returns the amount of an order that a lender finances. A lease excludes the sales tax (guide:
 * post-order operations).
 */
function financedBy({ taxLeftOut }: Lender, { total, tax, shippingTax }: Session): number {
  if (taxLeftOut === 'none') return total;
  return total - tax - (taxLeftOut === 'tax-and-shipping-tax' ? shippingTax : 0);
}

/** Whether every item may be leased; items are leasable by default. */
function isLeasable({ cart }: Session): boolean {
  return cart === null || cart.items.every(({ leasable }) => leasable !== false);
}

/**
 * Returns the next multiple of 500 above the financed amount, so that a client that confuses an
 * offer's limit with the order's total fails in the sandbox.
 */
function creditLimitFor(amount: number, currency: string): number {
  const step = 500 * 10 ** (currencyDigits(currency) ?? 2);
  return (Math.floor(amount / step) + 1) * step;
}

/**
 * Returns the payments of an offer, which the lenders round down. An amount that is too small for
 * payments is repaid at the end, at no cost.
 */
function planFor(amount: number, { months, productType, ...offer }: Lender['offer']) {
  const { aprBasisPoints, leaseCostBasisPoints = 0 } = offer;
  const cost = isLease({ productType })
    ? { leaseCost: String(leaseCostBasisPoints / 100) }
    : { apr: String(aprBasisPoints / 100) };
  const payments = { count: months, period: 'Month', rounding: 'down' } as const;
  const none = { payment: 0, lastPayment: amount, total: amount, interest: 0 };
  return repaymentOf(amount, { ...cost, payments }) ?? none;
}
