import { Hono } from 'hono';
import type { Log } from '../log.ts';
import type { Orders } from '../orders/store.ts';
import type { Pages } from '../page/pages.ts';
import { CompanionError } from '../payment/companion.ts';
import type { Companion } from '../payment/companion.ts';
import type { ShopEnv } from '../visitor.ts';
import { access } from './access.ts';
import { backOfficePage } from './views.ts';
import type { BackOfficeView } from './views.ts';

export interface BackOfficeRoutes {
  pages: Pages;
  orders: Orders;
  companion: Companion;
  token: string;
  log: Log;
}

/** How many orders the page lists, newest first. */
const LISTED = 200;

/** What the shop's own people see. */
export function backOfficeRoutes(options: BackOfficeRoutes): Hono<ShopEnv> {
  const { pages, orders, companion, log } = options;
  const routes = new Hono<ShopEnv>();
  routes.use(access(options.token));

  routes.get('/', async (c) => {
    let report: BackOfficeView['report'];
    try {
      report = { fundings: await companion.fundings() };
    } catch (error) {
      if (!(error instanceof CompanionError)) throw error;
      log('warn', 'fundings report not read', { reason: error.code });
      report = { unavailable: error.message };
    }
    return pages.show(c, backOfficePage({ orders: orders.latest(LISTED), report }));
  });
  return routes;
}
