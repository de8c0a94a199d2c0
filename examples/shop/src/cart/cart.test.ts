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

test('adding more of a product adds up, to as many as there may be', () => {
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

test('none of a product takes it out, and out of no other cart', () => {
  const { carts, held } = cart();
  carts.add('ana', 'fen-sofa', 1);
  carts.add('ben', 'fen-sofa', 1);
  carts.set('ana', 'fen-sofa', 0);
  expect(held()).toEqual([]);
  expect(held('ben')).toEqual([['fen-sofa', 1]]);
  carts.empty('ben');
  expect(held('ben')).toEqual([]);
});

test('a product that is no longer sold falls out', () => {
  const { carts, held } = cart();
  carts.add('ana', 'sold-last-year', 1);
  carts.add('ana', 'fen-sofa', 1);
  expect(held()).toEqual([['fen-sofa', 1]]);
});
