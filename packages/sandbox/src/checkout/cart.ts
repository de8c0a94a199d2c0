import { toMinorUnits } from '../platform/money.ts';
import type { Cart } from './body.ts';

/** A line of the order on the hosted page; amounts in minor units. */
interface OrderLine {
  name: string | null;
  quantity: number;
  amount: number;
}

/** The parts of an order's total other than its lines, in minor units. */
interface CartSums {
  discount: number;
  tax: number;
  shipping: number;
  shippingTax: number;
}

/** Converts a cart amount to minor units. Errors refer to it as `field`. */
export type ReadAmount = (field: string, amount: number) => number;

/**
 * Returns the lines of an order. A warranty counts once per line, not once per unit (reference:
 * Checkout Management, total amount: the documented example adds up only this way).
 */
export function linesOf(cart: Cart, minor: ReadAmount): OrderLine[] {
  return cart.items.flatMap((item, index) => {
    const field = `cartDetails.items.${index}`;
    const amount = times(minor(`${field}.price`, item.price), item.quantity);
    const line = { name: item.name ?? item.sku ?? null, quantity: item.quantity, amount };
    const { warranty } = item;
    if (!warranty) return [line];
    const price = minor(`${field}.warranty.price`, warranty.price);
    return [line, { name: warranty.name ?? warranty.sku ?? null, quantity: 1, amount: price }];
  });
}

/** Returns the parts of an order's total other than its lines. */
export function sumsOf(cart: Cart, minor: ReadAmount): CartSums {
  return {
    discount: discountOf(cart.discounts, 'cartDetails.discounts', minor),
    tax: minor('cartDetails.taxAmount', cart.taxAmount ?? 0),
    shipping: minor('cartDetails.shippingAmount', cart.shippingAmount ?? 0),
    shippingTax: minor('cartDetails.shippingTaxAmount', cart.shippingTaxAmount ?? 0),
  };
}

/** Checks the decimal places of the amounts that are not part of the total. */
export function readLineDetails(cart: Cart, minor: ReadAmount): void {
  for (const [index, item] of cart.items.entries()) {
    const field = `cartDetails.items.${index}`;
    minor(`${field}.taxAmount`, item.taxAmount ?? 0);
    discountOf(item.discounts, `${field}.discounts`, minor);
  }
}

/**
 * Returns the total by the documented rule: all items and warranties, minus the cart discounts,
 * plus tax, shipping and shipping tax. The documented example does not add the tax of individual
 * lines. The contract does not say whether line discounts reduce the total; here they do not, by
 * analogy with line taxes: `price` is the price that the merchant charges.
 */
export function totalOf(lines: readonly OrderLine[], sums: CartSums): bigint {
  const items = lines.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  const { discount, tax, shipping, shippingTax } = sums;
  return items - BigInt(discount) + BigInt(tax) + BigInt(shipping) + BigInt(shippingTax);
}

/** Returns a converter for the amounts of a cart that has already been validated. */
export function checkedAmounts(currency: string): ReadAmount {
  return (field, amount) => {
    const minor = toMinorUnits(amount, currency);
    if (typeof minor === 'string') throw new Error(`A stored order is damaged: ${field} ${minor}.`);
    return minor;
  };
}

/** Returns the cart for an application status response, with every documented field. */
export function cartToWire(cart: Cart) {
  return {
    merchantOrderId: cart.merchantOrderId ?? null,
    items: cart.items.map((item) => ({
      name: item.name ?? null,
      price: item.price,
      sku: item.sku ?? null,
      quantity: item.quantity,
      leasable: item.leasable ?? null,
      productCategory: item.productCategory ?? null,
      warranty: item.warranty
        ? {
            name: item.warranty.name ?? null,
            sku: item.warranty.sku ?? null,
            price: item.warranty.price,
          }
        : null,
      taxAmount: item.taxAmount ?? null,
      discounts: discountsToWire(item.discounts),
    })),
    discounts: discountsToWire(cart.discounts),
    taxAmount: cart.taxAmount ?? 0,
    shippingTaxAmount: cart.shippingTaxAmount ?? null,
    shippingAmount: cart.shippingAmount ?? null,
    totalAmount: cart.totalAmount,
  };
}

function discountsToWire(discounts: Cart['discounts']) {
  return discounts ? discounts.map(({ name, amount }) => ({ name: name ?? null, amount })) : null;
}

function discountOf(discounts: Cart['discounts'], field: string, minor: ReadAmount): number {
  return (discounts ?? []).reduce(
    (sum, { amount }, index) => sum + minor(`${field}.${index}.amount`, amount),
    0,
  );
}

/** Multiplies exactly up to the largest safe integer; the total rule rejects larger orders. */
function times(amount: number, quantity: number): number {
  return Number(BigInt(amount) * BigInt(quantity));
}
