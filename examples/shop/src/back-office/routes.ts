import { Hono } from 'hono';
import { AskError } from '../ask.ts';
import type { Log } from '../log.ts';
import { toTicketOrder } from '../orders/order.ts';
import type { Order } from '../orders/order.ts';
import type { Orders } from '../orders/store.ts';
import { readForm } from '../page/form.ts';
import type { Pages } from '../page/pages.ts';
import type { Companion } from '../payment/companion.ts';
import type { ShopEnv } from '../visitor.ts';
import { access } from './access.ts';
import { linkPage } from './link.ts';
import type { Reconciler } from './reconciler.ts';
import { backOfficePage } from './views.ts';

export interface BackOfficeRoutes {
  pages: Pages;
  orders: Orders;
  companion: Companion;
  reconciler: Reconciler;
  token: string;
  log: Log;
  now: () => Date;
}

const delivery = ['email', 'sms'] as const;

/** Number of orders on the page, newest first. */
const LISTED = 200;

/** Routes for the shop's staff. */
export function backOfficeRoutes(options: BackOfficeRoutes): Hono<ShopEnv> {
  const { pages, orders, companion, reconciler, log, now } = options;
  const routes = new Hono<ShopEnv>();
  routes.use(access(options.token));

  routes.get('/', async (c) => {
    const listed = orders.latest(LISTED);
    const [report, reconciliation] = await Promise.all([
      answered('fundings report', () => companion.fundings()),
      answered('reconciliation', async () => {
        // A sync ends after it has updated the statuses, so statuses read later include it.
        const last = await reconciler.lastSync();
        return { last, statuses: await reconciler.statuses(listed.map(({ number }) => number)) };
      }),
    ]);
    const isSyncing = 'last' in reconciliation && reconciliation.last?.state === 'running';
    return pages.show(c, backOfficePage({ orders: listed, report, reconciliation, isSyncing }));
  });

  routes.post('/sync', async (c) => {
    const days = daysOf(orders.latest(LISTED), now());
    await answered('sync', () => reconciler.sync(days.from, days.to));
    return c.redirect('/admin', 303);
  });
  routes.get('/orders/:id/link', async (c) => {
    const order = orders.find(c.req.param('id'));
    if (!order) return c.notFound();
    const link = await answered('link', async () => ({
      latest: await companion.findLink(order.number),
    }));
    return pages.show(c, linkPage(order, link));
  });

  routes.post('/orders/:id/link', async (c) => {
    const order = orders.find(c.req.param('id'));
    if (!order) return c.notFound();
    const form = await readForm(c);
    const deliver = delivery.find((name) => name === form.deliver);
    const inStore = form.channel === 'IN_STORE' || form.channel === 'CALL_CENTER';
    const channel = inStore ? { channel: form.channel as 'IN_STORE' | 'CALL_CENTER' } : {};
    const link = await answered('link', async () => ({
      latest: await companion.createLink({ ...toTicketOrder(order), ...channel }, deliver),
    }));
    if ('unavailable' in link) return pages.show(c, linkPage(order, link), 502);
    return c.redirect(`/admin/orders/${order.id}/link`, 303);
  });
  return routes;

  /** Returns a program's answer, or why there is none. */
  async function answered<Answer>(
    what: string,
    ask: () => Promise<Answer>,
  ): Promise<Answer | { unavailable: string }> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof AskError)) throw error;
      log('warn', `${what} not read`, { reason: error.code });
      return { unavailable: error.message };
    }
  }
}

const DAY_MS = 86_400_000;

/**
 * Returns the days from the oldest listed order to a month from now, because lenders date fundings
 * ahead, and tests may move the sandbox's clock forward.
 */
function daysOf(listed: readonly Order[], now: Date): { from: string; to: string } {
  const oldest = Math.min(now.getTime(), ...listed.map((order) => Date.parse(order.createdAt)));
  const day = (time: number) => new Date(time).toISOString().slice(0, 10);
  return { from: day(oldest - DAY_MS), to: day(now.getTime() + 31 * DAY_MS) };
}
