import type { DatabaseSync } from 'node:sqlite';
import { findProduct } from '../catalog/products.ts';
import type { CartLine } from './pricing.ts';

/** Maximum quantity of one product. */
export const MAX_QUANTITY = 10;

/** Stores one cart per visitor. */
export interface Carts {
  lines(visitor: string): CartLine[];
  /** Adds to the quantity in the cart, up to {@link MAX_QUANTITY}. */
  add(visitor: string, slug: string, quantity: number): void;
  /** Replaces the quantity; zero removes the product. */
  set(visitor: string, slug: string, quantity: number): void;
  empty(visitor: string): void;
}

/** Keeps carts in the shop's database. Omits products that are no longer sold. */
export function createCarts(database: DatabaseSync): Carts {
  const select = database.prepare(
    'SELECT slug, quantity FROM cart_lines WHERE visitor = ? ORDER BY rowid',
  );
  const upsert = database.prepare(
    `INSERT INTO cart_lines (visitor, slug, quantity) VALUES (?, ?, ?)
     ON CONFLICT (visitor, slug) DO UPDATE SET quantity = excluded.quantity`,
  );
  const remove = database.prepare('DELETE FROM cart_lines WHERE visitor = ? AND slug = ?');
  const removeAll = database.prepare('DELETE FROM cart_lines WHERE visitor = ?');

  const carts: Carts = {
    lines: (visitor) =>
      select.all(visitor).flatMap(({ slug, quantity }) => {
        const product = findProduct(String(slug));
        return product ? [{ product, quantity: Number(quantity) }] : [];
      }),
    add(visitor, slug, quantity) {
      const line = carts.lines(visitor).find(({ product }) => product.slug === slug);
      carts.set(visitor, slug, (line?.quantity ?? 0) + quantity);
    },
    set(visitor, slug, quantity) {
      if (quantity <= 0) {
        remove.run(visitor, slug);
        return;
      }
      upsert.run(visitor, slug, Math.min(quantity, MAX_QUANTITY));
    },
    empty: (visitor) => void removeAll.run(visitor),
  };
  return carts;
}
