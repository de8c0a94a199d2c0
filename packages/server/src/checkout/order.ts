import type { Order } from '@financing-checkout/contract/storefront';
import { sha256 } from '../platform/id.ts';
import { ProblemError } from '../platform/problem.ts';
import type { CheckoutRow } from '../store/store.ts';
import type { CheckoutContext } from './context.ts';

/**
 * Returns a hash of the goods, their prices, the place of sale and the promotion. It excludes the
 * buyer, tags, the correlation id and the requested loan. The order of the lines does not matter. A
 * field that a later version adds is hashed only when it has a value, so the hash of a checkout
 * that is open during an upgrade stays the same.
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
      ...entriesWithValue({
        warranty: item.warranty && [
          item.warranty.name ?? null,
          item.warranty.sku ?? null,
          item.warranty.price,
        ],
        taxAmount: item.taxAmount,
        discounts: item.discounts && sortedDiscounts(item.discounts),
      }),
    ]),
  );
  const { merchant } = order;
  return sha256(
    JSON.stringify([
      order.merchantOrderId,
      order.currency,
      order.totalAmount,
      order.taxAmount,
      order.shippingAmount,
      items.sort(),
      sortedDiscounts(order.discounts ?? []),
      ...entriesWithValue({
        shippingTaxAmount: order.shippingTaxAmount,
        channel: order.channel === 'E_COMMERCE' ? undefined : order.channel,
        storeId: merchant?.storeId,
        posId: merchant?.posId,
        posType: merchant?.posType,
        promoCode: order.promoCode,
        merchantPromoCode: order.merchantPromoCode,
      }),
    ]),
  );
}

function sortedDiscounts(discounts: NonNullable<Order['discounts']>): string[] {
  return discounts.map(({ name, amount }) => JSON.stringify([name, amount])).sort();
}

function entriesWithValue(fields: Record<string, unknown>): [string, unknown][] {
  return Object.entries(fields).filter(([, value]) => value !== undefined);
}

export interface CurrentOrder {
  /** The order ticket or reference. */
  order: string;
  origin: string;
  request: Request;
}

/**
 * Refuses to charge for an order that differs from the approved one. Nothing is sent, and the page
 * can show both amounts and start again. The checkout records the change, because the service
 * reports the same confirmation on its own, and that report must not cause a charge either.
 * @returns true when the checkout must be reread because of a concurrent change
 * @throws {ProblemError} `order-changed`, `order-ticket-invalid`, `order-ticket-expired`,
 *   `environment-mismatch`
 */
export async function refuseChangedOrder(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  current: CurrentOrder,
): Promise<boolean> {
  // The ticket of the prime still states the same order, even after it has expired. A reference is
  // looked up again, because its order may have changed.
  if (ctx.hasTickets && (await sha256(current.order)) === checkout.ticketHash) return false;
  const { order } = await ctx.orderSource(current.order, current);
  if (order.merchantOrderId !== checkout.merchantOrderId) {
    throw new ProblemError('order-ticket-invalid', {
      detail: 'The ticket is for another order than this checkout: start a new checkout.',
    });
  }
  if ((await orderHash(order)) === checkout.orderHash) return false;
  if (!checkout.orderChanged) {
    const { id, revision } = checkout;
    const set = { orderChanged: true };
    const result = await ctx.store.changeCheckout({ id, revision, now: ctx.clock.now(), set });
    if (result.kind === 'stale') return true;
  }
  throw new ProblemError('order-changed', {
    detail: 'Nothing was charged. Start again with the current order.',
    retrySafe: true,
    amounts: {
      approved: checkout.amount,
      current: { value: order.totalAmount, currency: order.currency },
    },
  });
}
