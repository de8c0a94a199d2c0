import type { Funding } from '@financing-checkout/contract/back-office';
import type { Order } from '../orders/order.ts';

/** Sums in one currency, in its minor units. */
export interface FundingTotals {
  currency: string;
  gross: number;
  /** The merchant discount (MDR). */
  discount: number;
  net: number;
}

/** The report's fundings, matched to the shop's orders. */
export interface FundingsByOrder {
  of: (order: Order) => Funding[];
  /** Fundings that match no listed order. */
  rest: Funding[];
  totals: FundingTotals[];
  /** Number of fundings that the sums exclude because their direction is unknown. */
  leftOut: number;
  /** Number of fundings that the sums exclude because their currency is assumed. */
  assumedCurrency: number;
}

/**
 * Returns 1 for a kind of funding that comes in, −1 for one that goes out, 0 for one that moves no
 * money, and undefined for an unknown kind. Ignores the sign that the lender sends, which the
 * service does not define.
 */
export function direction({ transactionType }: Funding): 1 | -1 | 0 | undefined {
  switch (transactionType) {
    case 'Settle':
    case 'Reversal':
      return 1;
    case 'Refund':
    case 'Chargeback':
      return -1;
    case 'Authorize':
    case 'Void':
      return 0;
    default:
      return undefined;
  }
}

/** Matches fundings to orders by order number or, failing that, by charge. */
export function fundingsByOrder(
  orders: readonly Order[],
  fundings: readonly Funding[],
): FundingsByOrder {
  const numbers = new Set(orders.map(({ number }) => number));
  const byCharge = new Map<string, string>();
  for (const { number, financings } of orders) {
    for (const { chargeId } of financings) if (chargeId) byCharge.set(chargeId, number);
  }
  const byNumber = new Map<string, Funding[]>();
  const rest: Funding[] = [];
  for (const funding of fundings) {
    const { merchantOrderId = '', chargeId = '' } = funding;
    const number = numbers.has(merchantOrderId) ? merchantOrderId : byCharge.get(chargeId);
    if (number === undefined) rest.push(funding);
    else byNumber.set(number, [...(byNumber.get(number) ?? []), funding]);
  }

  const totals = new Map<string, FundingTotals>();
  let [leftOut, assumedCurrency] = [0, 0];
  for (const funding of fundings) {
    const sign = direction(funding);
    if (sign === undefined) leftOut += 1;
    if (!sign) continue;
    if (funding.currencyAssumed === true) {
      assumedCurrency += 1;
      continue;
    }
    const { currency } = funding.transactionAmount;
    // Each currency has its own sum.
    const sum = totals.get(currency) ?? { currency, gross: 0, discount: 0, net: 0 };
    sum.gross += sign * Math.abs(funding.transactionAmount.value);
    sum.discount += sign * Math.abs(funding.discountAmount.value);
    sum.net += sign * Math.abs(funding.netAmount.value);
    totals.set(currency, sum);
  }
  return {
    of: ({ number }) => byNumber.get(number) ?? [],
    rest,
    totals: [...totals.values()],
    leftOut,
    assumedCurrency,
  };
}
