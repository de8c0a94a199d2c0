import type { Environment } from '@financing-checkout/contract/storefront';
import { Hono } from 'hono';
import { orderStatus } from '../orders/order.ts';
import type { Order } from '../orders/order.ts';
import type { Orders } from '../orders/store.ts';
import type { Pages } from '../page/pages.ts';
import type { ShopEnv } from '../visitor.ts';
import type { SettlementDesk } from './settlement.ts';
import { ticketFor } from './ticket.ts';
import type { TicketOptions } from './ticket.ts';
import { paymentPage } from './views.ts';

export interface PaymentRoutes {
  pages: Pages;
  orders: Orders;
  settlement: SettlementDesk;
  ticket: TicketOptions;
  publicApiKey: string;
  environment: Environment;
  companionUrl: string;
}

/**
 * Presentations that the sandbox's hosted page supports. A shop that uses the real service names
 * none, because `auto` starts with the service's SDK.
 */
const usualPresentation = 'embedded popup redirect sdk';

/** Routes for the payment step. `?presentation=sdk` tries another presentation. */
export function paymentRoutes(options: PaymentRoutes): Hono<ShopEnv> {
  const { pages, orders, settlement, ticket } = options;
  const routes = new Hono<ShopEnv>();

  // The ticket contains the shopper's name and address, so only the browser that placed the order
  // gets it. Knowing the order's URL is not enough.
  const own = (id: string, visitor: string): Order | undefined => {
    const order = orders.find(id);
    return order?.visitor === visitor ? order : undefined;
  };
  const isOpen = (order: Order) => !['paid', 'cancelled'].includes(orderStatus(order));

  routes.get('/:id/payment', async (c) => {
    const found = own(c.req.param('id'), c.get('visitor'));
    if (!found) return c.notFound();
    const order = await settlement.refresh(found);
    if (!isOpen(order)) return c.redirect(`/orders/${order.id}`, 303);
    return pages.show(
      c,
      paymentPage({
        order,
        ticket: await ticketFor(order, ticket),
        publicApiKey: options.publicApiKey,
        environment: options.environment,
        companionUrl: options.companionUrl,
        presentation: c.req.query('presentation') ?? usualPresentation,
        returnUrl: `${ticket.origin}/orders/${order.id}/payment`,
        formReturnUrl: `${ticket.origin}/orders/${order.id}?from=financing`,
      }),
    );
  });
  return routes;
}
