import { Hono } from 'hono';
import type { Carts } from '../cart/cart.ts';
import { priceCart } from '../cart/pricing.ts';
import { formatMoney } from '../money.ts';
import { freeze, orderStatus } from '../orders/order.ts';
import type { Orders } from '../orders/store.ts';
import { readForm } from '../page/form.ts';
import type { Pages } from '../page/pages.ts';
import type { ShopEnv } from '../visitor.ts';
import { readCustomer } from './details.ts';
import { isState } from './tax.ts';
import { checkoutPage } from './views.ts';

/** Routes that turn a cart into an order. */
export function checkoutRoutes({ show }: Pages, carts: Carts, orders: Orders): Hono<ShopEnv> {
  const routes = new Hono<ShopEnv>();

  routes.get('/', (c) => {
    const lines = carts.lines(c.get('visitor'));
    if (lines.length === 0) return c.redirect('/cart', 303);
    return show(c, checkoutPage(lines, { values: {}, errors: {} }));
  });

  // The order is created from the server's own cart and catalog. No price comes from the form.
  routes.post('/', async (c) => {
    const visitor = c.get('visitor');
    const lines = carts.lines(visitor);
    const form = await readForm(c);
    if (lines.length === 0) {
      // On a double click, the browser shows only the answer to the second request. The first one
      // created the order under a visitor id that this browser may not have received.
      const renamed = c.get('visitorAfter')(form.form);
      const [made] = orders.ofVisitor(renamed);
      if (made) await c.get('renameVisitor')(renamed);
      const latest = made ?? orders.ofVisitor(visitor)[0];
      const waits = latest && orderStatus(latest) === 'pending-payment';
      return c.redirect(waits ? `/orders/${latest.id}/payment` : '/cart', 303);
    }
    const read = readCustomer(form);
    if (!read.ok) return show(c, checkoutPage(lines, read.form), 422);
    const renamed = c.get('visitorAfter')(form.form);
    orders.moveVisitor(visitor, renamed);
    const order = orders.create(renamed, freeze(lines, read.customer));
    await c.get('renameVisitor')(renamed);
    carts.empty(visitor);
    return c.redirect(`/orders/${order.id}/payment`, 303);
  });

  // Updates the summary next to the form when the shopper chooses a state.
  routes.get('/quote', (c) => {
    const state = c.req.query('state') ?? '';
    const lines = carts.lines(c.get('visitor'));
    if (!isState(state) || lines.length === 0) return c.json({ error: 'Nothing to quote.' }, 404);
    const { tax = 0, total } = priceCart(lines, state);
    c.header('cache-control', 'no-store');
    return c.json({ tax: formatMoney(tax), total: formatMoney(total) });
  });
  return routes;
}
