import { lenders } from '../lender/lenders.ts';
import { repaymentPlan } from './amortisation.ts';

/** An offer as it was made to one shopper. Amounts in minor units. */
export interface Offer {
  code: string;
  lenderId: string;
  lenderName: string;
  productType: 'Installments' | 'LineOfCredit';
  /** What is financed. */
  amount: number;
  months: number;
  aprBasisPoints: number;
  isPromotional: boolean;
  payment: number;
  lastPayment: number;
  total: number;
  interest: number;
}

/** What each lender offers for an order, cheapest in all first: no hidden ranking. */
export function offersFor(amount: number): Offer[] {
  return lenders
    .map(({ id, name, offer }) => {
      const plan = repaymentPlan(amount, offer.aprBasisPoints, offer.months);
      return {
        ...offer,
        lenderId: id,
        lenderName: name,
        amount,
        payment: plan.payment,
        lastPayment: plan.lastPayment,
        total: plan.total,
        interest: plan.interest,
      };
    })
    .sort((a, b) => a.total - b.total);
}
