import { fixedOf, isWithin, rateOf } from '../checks/discounts.ts';
import type { OrderLines, OrderStatus, Policy } from '../order/lines.ts';
import { contractOf } from '../policy/contract.ts';

/**
 * Fast path for the simplest and most common order: one settle, funded once in full, with the
 * contracted discount, and reconciled at the service. Returns undefined for any other order. The
 * full checks give the same result (order-status.test.ts) but are slower.
 */
export function paidInFull(order: OrderLines, policy: Policy): OrderStatus | undefined {
  const { ledger, fundings } = order;
  if (ledger.length !== 1 || fundings.length !== 1) return undefined;
  const [line] = ledger;
  const [funding] = fundings;
  if (!line || !funding || line.type !== 'Settle' || funding.transactionType !== 'Settle') {
    return undefined;
  }
  const { amount, transactionId } = line;
  const { transactionAmount, discountAmount, netAmount, status } = funding;
  if (status !== 'RECONCILED' || transactionId !== funding.transactionId || !transactionId) {
    return undefined;
  }
  if (transactionAmount !== amount || amount <= 0 || amount - discountAmount !== netAmount) {
    return undefined;
  }
  if (
    !Number.isSafeInteger(amount) ||
    !Number.isSafeInteger(discountAmount) ||
    !Number.isSafeInteger(netAmount)
  ) {
    return undefined;
  }
  const contract = contractOf(funding, policy, line.occurredAt);
  if (contract) {
    const share = discountAmount - fixedOf('settle', contract, order.currency, amount);
    if (!isWithin(share, amount, rateOf('settle', contract), 1)) return undefined;
  }
  return {
    funding: 'FUNDED',
    returns: 'NONE',
    exceptions: [],
    headline: 'FUNDED',
    expected: { settle: amount, refund: 0 },
    funded: { settle: amount, refund: 0, chargeback: 0, reversal: 0 },
    discount: discountAmount,
    net: netAmount,
    awaiting: 0,
    recheckAt: undefined,
  };
}
