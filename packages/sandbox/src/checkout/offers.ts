import type { FinancialProductType, Lender } from '../lender/lenders.ts';
import { currencyDigits, divideHalfUp } from '../money/money.ts';
import { repaymentPlan } from './amortisation.ts';
import type { Session } from './session.ts';

/** An offer as it was made to one shopper. Amounts in minor units. */
export interface Offer {
  code: string;
  lenderId: string;
  lenderName: string;
  productType: FinancialProductType;
  /** The financed amount, which is the total of the charge: of a lease, less than the order. */
  amount: number;
  /** The most that this offer would finance. */
  creditLimit: number;
  months: number;
  aprBasisPoints: number;
  isPromotional: boolean;
  payment: number;
  lastPayment: number;
  total: number;
  /** Paid besides `amount`: the interest of a loan, the cost of a lease. */
  interest: number;
}

/**
 * Returns what each lender offers for an order: loans before leases, which are another kind of
 * product, and in each kind the cheapest in all first.
 */
export function offersFor(session: Session, lenders: readonly Lender[]): Offer[] {
  return lenders
    .flatMap((lender) => {
      const { id: lenderId, name: lenderName, offer } = lender;
      const { leaseCostBasisPoints, ...terms } = offer;
      const amount = financedBy(lender, session);
      if (amount <= 0 || (isLease(offer) && !isLeasable(session))) return [];
      const creditLimit = creditLimitFor(amount, session.currency);
      const plan = isLease(offer)
        ? leasePlan(amount, leaseCostBasisPoints ?? 0, offer.months)
        : repaymentPlan(amount, offer.aprBasisPoints, offer.months);
      const { payment, lastPayment, total, interest } = plan;
      const sums = { amount, creditLimit, payment, lastPayment, total, interest };
      return [{ ...terms, lenderId, lenderName, ...sums }];
    })
    .sort((a, b) => Number(isLease(a)) - Number(isLease(b)) || a.total - b.total);
}

export function isLease({ productType }: Pick<Offer, 'productType'>): boolean {
  return productType === 'LeaseToOwn';
}

/**
 * Returns the amount that a lender finances of an order. A lease leaves out its sales tax (guide: post-order
 * operations).
 */
function financedBy({ taxLeftOut }: Lender, { total, tax, shippingTax }: Session): number {
  if (taxLeftOut === 'none') return total;
  return total - tax - (taxLeftOut === 'tax-and-shipping-tax' ? shippingTax : 0);
}

/** Whether every item may be leased. An item that does not say so may be. */
function isLeasable({ cart }: Session): boolean {
  return cart === null || cart.items.every(({ leasable }) => leasable !== false);
}

/**
 * Returns the next multiple of 500 above the financed amount, so that a client that takes the
 * amount of an offer for the order's total fails here.
 */
function creditLimitFor(amount: number, currency: string): number {
  const step = 500 * 10 ** (currencyDigits(currency) ?? 2);
  return (Math.floor(amount / step) + 1) * step;
}

/** Returns equal payments of the goods and the lease; the last one has the remainder. */
function leasePlan(amount: number, costBasisPoints: number, months: number) {
  const interest = Number(divideHalfUp(BigInt(amount) * BigInt(costBasisPoints), 10_000n));
  const total = amount + interest;
  const payment = Math.floor(total / months);
  return { payment, lastPayment: total - payment * (months - 1), total, interest };
}
