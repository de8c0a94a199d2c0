import type { Order } from './order.ts';
import type { Environment } from './outcome.ts';
import { reversalOf } from './reversal.ts';
import type { CheckoutRecord } from './webhook.ts';

/** What the shop's backend knows of the order that it wants to ship. */
export interface ExpectedOrder extends Pick<Order, 'merchantOrderId' | 'currency' | 'totalAmount'> {
  /** The environment that the shop takes money in. An approval of a test pays nothing. */
  environment: Environment;
}

/** The fields of {@link CheckoutRecord} that decide whether its order is paid. */
export type PaymentRecord = Pick<
  CheckoutRecord,
  'status' | 'environment' | 'merchantOrderId' | 'amount' | 'chargeState'
>;

/**
 * Returns whether a record of the companion pays this order: the checkout is approved, in the shop's
 * environment, for this order and its total, and the charge is not reversed. `status` alone is not
 * enough: the companion of a test shop, an order that changed and a charge that was refunded all
 * come with `approved`.
 *
 * The amount that counts is the order's total. `charged` may state a lower one where the lender
 * pays less, such as a lease without its sales tax; its reason says why.
 *
 * @param record `data` of a webhook with a verified signature, or a checkout of the back office
 * @param order the order as the shop's own store has it, never as the browser states it
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
