import type { Order } from '@financing-checkout/contract';
import { ProblemError } from '../problem/problem.ts';
import type { CheckoutRow } from '../store/store.ts';
import type { CheckoutContext } from './context.ts';
import { sha256 } from './id.ts';

/**
 * What an order is known by: everything that is bought and what it costs, and nothing of who buys.
 * Lines in another sequence are the same order.
 */
export function orderHash(order: Order): Promise<string> {
  const items = order.items.map((item) =>
    JSON.stringify([
      item.sku,
      item.name,
      item.price,
      item.quantity,
      item.productCategory ?? null,
      item.leasable ?? null,
    ]),
  );
  const discounts = (order.discounts ?? []).map(({ name, amount }) =>
    JSON.stringify([name, amount]),
  );
  return sha256(
    JSON.stringify([
      order.merchantOrderId,
      order.currency,
      order.totalAmount,
      order.taxAmount,
      order.shippingAmount,
      items.sort(),
      discounts.sort(),
    ]),
  );
}

/**
 * Refuses to charge for an order that is not the one the shopper approved. Nothing is sent, and the
 * checkout stays as it is: the page can show both amounts and start again.
 * @param reference the order ticket (or reference) as the page has it now
 * @throws {ProblemError} `order-changed`, `order-ticket-invalid`, `order-ticket-expired`
 */
export async function refuseChangedOrder(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  reference: string,
  page: { origin: string; request: Request },
): Promise<void> {
  // The ticket it was primed with says what it said then, also when it has expired meanwhile.
  // A reference is looked up again: what it stands for may have changed.
  if (ctx.statesItself && (await sha256(reference)) === checkout.ticketHash) return;
  const { order } = await ctx.orderSource(reference, page);
  if (order.merchantOrderId !== checkout.merchantOrderId) {
    throw new ProblemError('order-ticket-invalid', {
      detail: 'The ticket is for another order than this checkout: start a checkout of its own.',
    });
  }
  // A checkout from before orders were hashed has its total to compare.
  const same =
    checkout.orderHash === undefined
      ? order.totalAmount === checkout.amount.value && order.currency === checkout.amount.currency
      : (await orderHash(order)) === checkout.orderHash;
  if (same) return;
  throw new ProblemError('order-changed', {
    detail: 'Nothing was charged. Start again with the order as it is now.',
    retrySafe: true,
    amounts: {
      approved: checkout.amount,
      current: { value: order.totalAmount, currency: order.currency },
    },
  });
}
