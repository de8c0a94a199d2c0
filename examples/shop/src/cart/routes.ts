import { Hono } from 'hono';
import { z } from 'zod';
import { findProduct } from '../catalog/products.ts';
import { productPage } from '../catalog/views.ts';
import { readForm } from '../page/form.ts';
import type { Pages } from '../page/pages.ts';
import type { ShopEnv } from '../visitor.ts';
import { MAX_QUANTITY } from './cart.ts';
import type { Carts } from './cart.ts';
import { cartPage } from './views.ts';

const WRONG_QUANTITY = `Choose a whole number from 1 to ${MAX_QUANTITY}.`;

const added = z.object({ slug: z.string(), quantity: z.unknown() });
const changed = z.object({ quantity: z.unknown() });

/** Parses a quantity; undefined for any other text. An empty field must not remove a line. */
function readQuantity(value: unknown, least: number): number | undefined {
  const quantity = typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : NaN;
  return quantity >= least && quantity <= MAX_QUANTITY ? quantity : undefined;
}

/** Routes for the cart. Every change answers with a redirect, so that a reload repeats nothing. */
export function cartRoutes({ show }: Pages, carts: Carts, companionUrl: string): Hono<ShopEnv> {
  const routes = new Hono<ShopEnv>();

  routes.get('/', (c) => show(c, cartPage(carts.lines(c.get('visitor')), companionUrl)));

  routes.post('/', async (c) => {
    const form = added.safeParse(await readForm(c));
    const product = form.success ? findProduct(form.data.slug) : undefined;
    if (!product) return c.notFound();
    const quantity = readQuantity(form.data?.quantity, 1);
    if (quantity === undefined)
      return show(c, productPage(product, companionUrl, WRONG_QUANTITY), 422);
    carts.add(c.get('visitor'), product.slug, quantity);
    return c.redirect('/cart', 303);
  });

  routes.post('/:slug', async (c) => {
    const form = changed.safeParse(await readForm(c));
    const product = findProduct(c.req.param('slug'));
    if (!product) return c.notFound();
    const quantity = readQuantity(form.data?.quantity, 0);
    if (quantity === undefined) {
      const lines = carts.lines(c.get('visitor'));
      const isThere = lines.some((line) => line.product.slug === product.slug);
      const page = isThere
        ? cartPage(lines, companionUrl, { slug: product.slug, error: WRONG_QUANTITY })
        : productPage(product, companionUrl, WRONG_QUANTITY);
      return show(c, page, 422);
    }
    carts.set(c.get('visitor'), product.slug, quantity);
    return c.redirect('/cart', 303);
  });
  return routes;
}
