import type { Product } from '../catalog/products.ts';
import { salesTax } from '../checkout/tax.ts';

/** A product and its quantity. */
export interface CartLine {
  product: Product;
  quantity: number;
}

/** Price of a cart in US cents. `total` is items − discounts + shipping + tax. */
export interface Quote {
  items: number;
  discounts: { name: string; amount: number }[];
  shipping: number;
  /** Undefined until the delivery state is known. */
  tax: number | undefined;
  total: number;
}

/** Shipping costs $49. It is free from $500. */
const SHIPPING = 4_900;
const FREE_SHIPPING_FROM = 50_000;

/** Returns the price of a quantity of a product, including its offer, before shipping and tax. */
export function priceOf(product: Product, quantity: number): number {
  const { items, discounts } = priceCart([{ product, quantity }]);
  return items - sumOf(discounts);
}

function sumOf(discounts: Quote['discounts']): number {
  return discounts.reduce((sum, { amount }) => sum + amount, 0);
}

/**
 * Prices a cart. All amounts are integers, and only the tax is rounded, once (see `salesTax`).
 * @param state two-letter code of the delivery state; without it, the quote has no tax
 */
export function priceCart(lines: readonly CartLine[], state?: string): Quote {
  const items = lines.reduce((sum, { product, quantity }) => sum + product.price * quantity, 0);
  const discounts = lines.flatMap(({ product, quantity }) => {
    const offer = product.setOffer;
    if (!offer || quantity < offer.quantity) return [];
    return [{ name: offer.name, amount: offer.off * quantity }];
  });
  const goods = items - sumOf(discounts);
  const shipping = goods === 0 || goods >= FREE_SHIPPING_FROM ? 0 : SHIPPING;
  const tax = state === undefined ? undefined : salesTax(goods, state);
  return { items, discounts, shipping, tax, total: goods + shipping + (tax ?? 0) };
}
