import { Hono } from 'hono';
import type { Pages } from '../page/pages.ts';
import type { ShopEnv } from '../visitor.ts';
import { findProduct } from './products.ts';
import { catalogPage, categories, productPage } from './views.ts';

/** Routes for the catalog. */
export function catalogRoutes({ show }: Pages, companionUrl: string): Hono<ShopEnv> {
  const routes = new Hono<ShopEnv>();

  routes.get('/', (c) => {
    const asked = c.req.query('category');
    return show(
      c,
      catalogPage(
        categories.find((name) => name === asked),
        companionUrl,
      ),
    );
  });

  routes.get('/products/:slug', (c) => {
    const product = findProduct(c.req.param('slug'));
    return product ? show(c, productPage(product, companionUrl)) : c.notFound();
  });
  return routes;
}
