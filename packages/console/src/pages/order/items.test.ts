import { expect, test } from 'vitest';
import { priceOfItems } from './items.ts';

const chair = { name: 'Chair', sku: 'C-1', price: 89_000, quantity: 1 };
const lamp = { name: 'Lamp', sku: 'L-1', price: 999, quantity: 3 };

test('includes all tax for an order with one item', () => {
  expect(priceOfItems([chair], { 0: 1 }, 5_563)).toEqual({ price: 89_000, tax: 5_563 });
});

test('prorates the tax by price, and all items together have the full tax', () => {
  const items = [chair, lamp];
  expect(priceOfItems(items, { 0: 1, 1: 3 }, 5_563)).toEqual({ price: 91_997, tax: 5_563 });
  expect(priceOfItems(items, { 0: 1 }, 5_563)).toEqual({ price: 89_000, tax: 5_382 });
  expect(priceOfItems(items, { 1: 3 }, 5_563)).toEqual({ price: 2_997, tax: 181 });
  expect(priceOfItems(items, { 1: 1 }, 5_563)).toEqual({ price: 999, tax: 60 });
});

test('uses the items’ own taxes if they add up to the tax of the order', () => {
  const items = [
    { ...chair, taxAmount: 0 },
    { ...lamp, taxAmount: 300 },
  ];
  expect(priceOfItems(items, { 0: 1 }, 300)).toEqual({ price: 89_000, tax: 0 });
  expect(priceOfItems(items, { 1: 2 }, 300)).toEqual({ price: 1_998, tax: 200 });
  // The items' taxes then mean something else, such as the tax on one unit.
  expect(priceOfItems(items, { 0: 1 }, 900).tax).toBe(871);
});

test('is zero without items, and for items without a price', () => {
  expect(priceOfItems([chair, lamp], {}, 5_563)).toEqual({ price: 0, tax: 0 });
  expect(priceOfItems([{ ...chair, price: 0 }], { 0: 1 }, 500)).toEqual({ price: 0, tax: 0 });
});
