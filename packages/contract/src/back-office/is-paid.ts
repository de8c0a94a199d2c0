import type { Order } from '../storefront/order.ts';
import { reversalOf } from './reversal.ts';
import type { CheckoutRecord } from './webhook.ts';

/** The shop's own data about the order that it wants to ship. */
export interface ExpectedOrder extends Pick<Order, 'merchantOrderId' | 'currency' | 'totalAmount'> {
  /**
   * The environment of the shop's payments: `uat`, `sandbox` or `production`. An approval in
   * another environment does not pay the order.
   */
  environment: string;
}

/** The fields of {@link CheckoutRecord} that decide whether its order is paid. */
export type PaymentRecord = Pick<
  CheckoutRecord,
  'status' | 'environment' | 'merchantOrderId' | 'amount' | 'chargeState'
>;

/**
 * Returns whether a record of the companion pays this order: the checkout is approved, in the
 * shop's environment, for this order and its total, and the charge is not reversed. `status` alone
 * is not enough: the companion of a test shop, a changed order and a refunded charge all report
 * `approved`.
 *
 * The order's total is what matters. `charged` may be lower if the lender pays less, for example a
 * lease without sales tax; `charged` contains the reason.
 *
 * @param record `data` of a webhook with a verified signature, or a checkout from the back-office
 *   API
 * @param order the order from the shop's own store, never from the browser
 */
export function isPaid(record: PaymentRecord, order: ExpectedOrder): boolean {
  const reversal = reversalOf(record.chargeState);
  return (
    record.status === 'approved' &&
    record.environment === order.environment &&
    record.merchantOrderId === order.merchantOrderId &&
    record.amount.value === order.totalAmount &&
    record.amount.currency === order.currency &&
    (reversal === undefined || reversal === 'reduced')
  );
}
