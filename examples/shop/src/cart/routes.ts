import { Hono } from 'hono';
import { z } from 'zod';
import { findProduct } from '../catalogue/products.ts';
import { readForm } from '../page/form.ts';
import type { Pages } from '../page/pages.ts';
import type { ShopEnv } from '../visitor.ts';
import { MAX_QUANTITY } from './cart.ts';
import type { Carts } from './cart.ts';
import { cartPage } from './views.ts';

const quantity = z.coerce.number().int().min(0).max(MAX_QUANTITY);
const added = z.object({ slug: z.string(), quantity: quantity.min(1) });
const changed = z.object({ quantity });

/** Looking at the cart and changing it. Every change answers with a redirect: reload is harmless. */
export function cartRoutes({ show }: Pages, carts: Carts): Hono<ShopEnv> {
  const routes = new Hono<ShopEnv>();

  routes.get('/', (c) => show(c, cartPage(carts.lines(c.get('visitor')))));

  routes.post('/', async (c) => {
    const form = added.safeParse(await readForm(c));
    if (!form.success || !findProduct(form.data.slug)) return c.notFound();
    carts.add(c.get('visitor'), form.data.slug, form.data.quantity);
    return c.redirect('/cart', 303);
  });

  routes.post('/:slug', async (c) => {
    const form = changed.safeParse(await readForm(c));
    const product = findProduct(c.req.param('slug'));
    if (!form.success || !product) return c.notFound();
    carts.set(c.get('visitor'), product.slug, form.data.quantity);
    return c.redirect('/cart', 303);
  });
  return routes;
}
