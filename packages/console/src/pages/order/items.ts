import type { OrderedItem } from '@financing-checkout/contract/storefront';

/**
 * Returns the price of an order's chosen items and the tax on them, in minor units. If the items'
 * own taxes do not add up to the order's tax, the order's tax is prorated by price.
 * @param quantities chosen quantity of each item, by index
 * @param orderTax the order's tax, without tax on shipping
 */
export function priceOfItems(
  items: readonly OrderedItem[],
  quantities: Readonly<Record<number, number>>,
  orderTax: number,
): { price: number; tax: number } {
  const prices = items.map(({ price, quantity }) => price * quantity);
  const taxes = items.map(({ taxAmount }) => taxAmount ?? 0);
  const weights = sumOf(taxes) === orderTax ? taxes : prices;
  const chosen = items.map((_, index) => quantities[index] ?? 0);
  // The tax is rounded once, for all chosen items together.
  const share = items.map(
    ({ quantity }, index) =>
      ((weights[index] ?? 0) / Math.max(1, sumOf(weights))) * ((chosen[index] ?? 0) / quantity),
  );
  return {
    price: sumOf(items.map(({ price }, index) => price * (chosen[index] ?? 0))),
    tax: Math.round(orderTax * sumOf(share)),
  };
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
