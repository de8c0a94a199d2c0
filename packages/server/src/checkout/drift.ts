import type { Order } from '@financing-checkout/contract';
import { ProblemError } from '../platform/problem.ts';
import type { CheckoutRow } from '../store/store.ts';
import type { CheckoutContext } from './context.ts';
import { sha256 } from '../platform/id.ts';

/**
 * Returns a hash of what is bought, what it costs, and where and under which promotion it is sold.
 * Who buys, tags, the correlation id and the loan that is asked for are no part of it. Lines in
 * another sequence are the same order. A field that was added later counts only where it has a
 * value: the hash of a checkout that is open during an upgrade stays what it is.
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
      ...stated({
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
      ...stated({
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

/** The fields that have a value, each by its name. */
function stated(fields: Record<string, unknown>): [string, unknown][] {
  return Object.entries(fields).filter(([, value]) => value !== undefined);
}

/**
 * Refuses to charge for an order that is not the one the shopper approved. Nothing is sent, and the
 * checkout stays as it is: the page can show both amounts and start again.
 * @param reference the order ticket (or reference) as the page has it now
 * @throws {ProblemError} `order-changed`, `order-ticket-invalid`, `order-ticket-expired`,
 * `environment-mismatch`
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
