import { expect, test } from 'vitest';
import { findProduct } from '../catalog/products.ts';
import { salesTax } from '../checkout/tax.ts';
import { priceCart } from './pricing.ts';
import type { CartLine } from './pricing.ts';

const line = (slug: string, quantity: number): CartLine => {
  const product = findProduct(slug);
  if (!product) throw new Error(`There is no ${slug}.`);
  return { product, quantity };
};

test('computes the total as items − discounts + delivery + tax', () => {
  const quote = priceCart([line('wren-chair', 4), line('ember-lamp', 1)], 'CA');
  expect(quote).toEqual({
    items: 178_000,
    discounts: [{ name: 'Wren chairs, set of four or more', amount: 12_000 }],
    shipping: 0,
    tax: 12_035,
    total: 178_035,
  });
});

test('applies a quantity discount from its quantity on', () => {
  expect(priceCart([line('wren-chair', 3)]).discounts).toEqual([]);
  expect(priceCart([line('wren-chair', 4)]).discounts).toHaveLength(1);
});

test('charges $49 for delivery below $500 of goods', () => {
  expect(priceCart([line('ember-lamp', 1)]).shipping).toBe(4_900);
  expect(priceCart([line('marl-rug', 1)]).shipping).toBe(0);
});

test('prices an empty cart at zero', () => {
  expect(priceCart([], 'CA').total).toBe(0);
});

test('adds no tax without a state', () => {
  const quote = priceCart([line('ember-lamp', 1)]);
  expect(quote.tax).toBeUndefined();
  expect(quote.total).toBe(46_900);
});

test('rounds the tax once, half up', () => {
  // 4.225% of $2.00 is 8.45 cents; of $10.00, 42.25; of $20.00, exactly 84.5.
  expect(salesTax(200, 'MO')).toBe(8);
  expect(salesTax(1_000, 'MO')).toBe(42);
  expect(salesTax(2_000, 'MO')).toBe(85);
  // The sum is rounded: three lines of $2.00 are not three times 8 cents.
  expect(salesTax(600, 'MO')).toBe(25);
});

test('throws for an unknown state instead of charging no tax', () => {
  expect(() => salesTax(100, 'ZZ')).toThrow(RangeError);
  expect(() => salesTax(100, 'toString')).toThrow(RangeError);
});
