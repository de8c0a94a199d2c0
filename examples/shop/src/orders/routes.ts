import { Hono } from 'hono';
import type { Carts } from '../cart/cart.ts';
import type { Pages } from '../page/pages.ts';
import type { SettlementDesk } from '../payment/settlement.ts';
import type { ShopEnv } from '../visitor.ts';
import { isPayable, orderStatus } from './order.ts';
import type { Orders } from './store.ts';
import { historyPage, orderPage } from './views.ts';

export interface OrderRoutes {
  pages: Pages;
  orders: Orders;
  carts: Carts;
  settlement: SettlementDesk;
}

/** Routes for shoppers' orders. */
export function orderRoutes({ pages, orders, carts, settlement }: OrderRoutes): Hono<ShopEnv> {
  const routes = new Hono<ShopEnv>();

  routes.get('/', (c) => pages.show(c, historyPage(orders.ofVisitor(c.get('visitor')))));

  routes.get('/:id', async (c) => {
    const found = orders.find(c.req.param('id'));
    if (!found) return c.notFound();
    const order = await settlement.refresh(found);
    const own = order.visitor === c.get('visitor');
    const returning = c.req.query('from') === 'financing';
    return pages.show(c, orderPage({ order, own, returning }));
  });

  // The payment page polls this while it waits. The request changes nothing.
  routes.get('/:id/status', async (c) => {
    const found = orders.find(c.req.param('id'));
    if (!found) return c.notFound();
    const order = await settlement.refresh(found);
    c.header('cache-control', 'no-store');
    return c.json({ number: order.number, status: orderStatus(order) });
  });

  routes.post('/:id/transfer', async (c) => {
    const found = orders.find(c.req.param('id'));
    if (found?.visitor !== c.get('visitor')) return c.notFound();
    // Asks the companion first: if the webhook is late, a lender may have approved, and the shopper
    // would pay twice.
    const order = await settlement.refresh(found);
    if (isPayable(order)) orders.chooseTransfer(order.id);
    return c.redirect(`/orders/${order.id}`, 303);
  });

  // Cancels the order and puts its items back into the cart.
  routes.post('/:id/cancellation', async (c) => {
    const visitor = c.get('visitor');
    const found = orders.find(c.req.param('id'));
    if (found?.visitor !== visitor) return c.notFound();
    const order = await settlement.refresh(found);
    if (!isPayable(order)) return c.redirect(`/orders/${order.id}`, 303);
    orders.cancel(order.id);
    for (const { slug, quantity } of order.contents.items) carts.add(visitor, slug, quantity);
    return c.redirect('/cart', 303);
  });
  return routes;
}
