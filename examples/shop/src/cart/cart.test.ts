import { expect, test } from 'vitest';
import { openDatabase } from '../database.ts';
import { createCarts, MAX_QUANTITY } from './cart.ts';

function cart() {
  const database = openDatabase(':memory:');
  const carts = createCarts(database);
  const held = (visitor = 'ana') =>
    carts.lines(visitor).map(({ product, quantity }) => [product.slug, quantity]);
  return { carts, held };
}

test('adds up the quantity of a product, up to the maximum', () => {
  const { carts, held } = cart();
  carts.add('ana', 'fen-sofa', 1);
  carts.add('ana', 'marl-rug', 2);
  carts.add('ana', 'fen-sofa', 2);
  expect(held()).toEqual([
    ['fen-sofa', 3],
    ['marl-rug', 2],
  ]);
  carts.add('ana', 'fen-sofa', MAX_QUANTITY);
  expect(held()[0]).toEqual(['fen-sofa', MAX_QUANTITY]);
});

test('removes a product at quantity zero, and only from this cart', () => {
  const { carts, held } = cart();
  carts.add('ana', 'fen-sofa', 1);
  carts.add('ben', 'fen-sofa', 1);
  carts.set('ana', 'fen-sofa', 0);
  expect(held()).toEqual([]);
  expect(held('ben')).toEqual([['fen-sofa', 1]]);
  carts.empty('ben');
  expect(held('ben')).toEqual([]);
});

test('drops a product that is no longer sold', () => {
  const { carts, held } = cart();
  carts.add('ana', 'sold-last-year', 1);
  carts.add('ana', 'fen-sofa', 1);
  expect(held()).toEqual([['fen-sofa', 1]]);
});
