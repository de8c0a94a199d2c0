import type { OrderedItem } from '@financing-checkout/contract';

/**
 * Returns the price of chosen items of an order and the tax on them, in minor units. All items together
 * have exactly the order's tax. Items that state taxes which add up to it have their own; otherwise the
 * tax is shared by price.
 * @param quantities chosen pieces, by the index of the item
 * @param orderTax tax of the order, without that on shipping
 */
export function priceOfItems(
  items: readonly OrderedItem[],
  quantities: Readonly<Record<number, number>>,
  orderTax: number,
): { price: number; tax: number } {
  const prices = items.map(({ price, quantity }) => price * quantity);
  const stated = items.map(({ taxAmount }) => taxAmount ?? 0);
  const isStated = sumOf(stated) === orderTax;
  const total = sumOf(prices);
  // A sum of shares that is rounded once: the whole order has the whole tax.
  let share = 0n;
  const scale = BigInt(Math.max(1, total));
  let price = 0;
  items.forEach((item, index) => {
    const chosen = quantities[index] ?? 0;
    price += item.price * chosen;
    const pieces = BigInt(item.quantity);
    const itemTax = isStated ? BigInt(stated[index] ?? 0) * scale : BigInt(orderTax * 1) * BigInt(prices[index] ?? 0);
    share += (itemTax * BigInt(chosen)) / pieces;
  });
  return { price, tax: Number((2n * share + scale) / (2n * scale)) };
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
