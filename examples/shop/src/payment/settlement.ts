import { isPaid } from '@financing-checkout/contract/back-office';
import type { CheckoutRecord } from '@financing-checkout/contract/back-office';
import type { Environment } from '@financing-checkout/contract/storefront';
import { AskError } from '../ask.ts';
import type { Log } from '../log.ts';
import { orderStatus } from '../orders/order.ts';
import type { Order } from '../orders/order.ts';
import type { Orders } from '../orders/store.ts';
import type { Companion } from './companion.ts';

/** Result of applying a record from the companion. */
export type Settlement = 'applied' | 'already-known' | 'order-unknown' | 'refused';

export interface SettlementOptions {
  orders: Orders;
  companion: Companion;
  environment: Environment;
  log: Log;
  now: () => Date;
}

/** Minimum delay between two requests about one order, in milliseconds. */
const ASK_EVERY = 4_000;

/**
 * Applies financings to orders. No other code does: both sources, the signed webhook and the back
 * office's answer, come from the companion, never from a browser.
 */
export function createSettlement({ orders, companion, environment, log, now }: SettlementOptions) {
  /** Compares a record from the companion with the order, and stores it. */
  function apply(record: CheckoutRecord): Settlement {
    const order = orders.findByNumber(record.merchantOrderId);
    if (!order) {
      log('warn', 'financing of an unknown order', { checkout: record.checkoutId });
      return 'order-unknown';
    }
    const reason = mismatch(order, record, environment);
    if (reason) {
      orders.refuse(order, record.checkoutId, reason);
      log('error', 'financing refused', {
        order: order.number,
        checkout: record.checkoutId,
        reason,
      });
      return 'refused';
    }
    const before = orderStatus(order);
    if (!orders.recordFinancing(record)) return 'already-known';
    const after = orders.findByNumber(order.number);
    log('info', 'financing', {
      order: order.number,
      checkout: record.checkoutId,
      revision: record.revision,
      says: record.status,
      before,
      after: after ? orderStatus(after) : before,
    });
    return 'applied';
  }

  /**
   * Asks the companion about an unpaid order, because the webhook may be late or lost.
   * @returns the updated order, or the unchanged one if the companion does not answer
   */
  async function refresh(order: Order): Promise<Order> {
    const last = order.askedAt ? Date.parse(order.askedAt) : 0;
    if (orderStatus(order) === 'paid' || now().getTime() - last < ASK_EVERY) return order;
    orders.asked(order.id);
    try {
      for (const record of await companion.checkouts(order.number)) {
        if (record.merchantOrderId === order.number) apply(record);
      }
    } catch (error) {
      if (!(error instanceof AskError)) throw error;
      log('warn', 'companion not asked', { order: order.number, reason: error.code });
    }
    return orders.find(order.id) ?? order;
  }

  return { apply, refresh };
}
export type SettlementDesk = ReturnType<typeof createSettlement>;

/** Returns why the shop does not accept a record, as shown in the back office. */
function mismatch(
  order: Order,
  record: CheckoutRecord,
  environment: Environment,
): string | undefined {
  if (record.environment !== environment) {
    return `Financed in the ${record.environment} environment, this shop is set to ${environment}.`;
  }
  const { currency, totalAmount } = order.contents;
  if (record.amount.currency !== currency || record.amount.value !== totalAmount) {
    return 'Financed for another amount than the order comes to.';
  }
  const expected = { merchantOrderId: order.number, currency, totalAmount, environment };
  if (record.status === 'approved' && !isPaid(record, expected)) {
    return `Financed, and the state of the charge is ${record.chargeState}: it pays for nothing.`;
  }
  return undefined;
}
