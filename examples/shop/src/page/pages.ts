import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Assets } from '../assets.ts';
import type { Carts } from '../cart/cart.ts';
import type { ShopEnv } from '../visitor.ts';
import { layout } from './layout.ts';
import type { Financing, Page } from './layout.ts';

/** Answers requests with pages. */
export interface Pages {
  show: (
    c: Context<ShopEnv>,
    page: Page,
    status?: ContentfulStatusCode,
  ) => Response | Promise<Response>;
}

export function createPages(assets: Assets, carts: Carts, financing: Financing): Pages {
  return {
    show(c, page, status = 200) {
      const cartCount = carts
        .lines(c.get('visitor'))
        .reduce((sum, { quantity }) => sum + quantity, 0);
      // The pages contain names, addresses and tickets, so no cache may store them. Going back to the
      // payment page requests it again.
      c.header('cache-control', 'no-store');
      return c.html(layout(page, { assets, cartCount, financing }), status);
    },
  };
}
