import type { Environment } from '@financing-checkout/contract/storefront';
import { signOrderTicket } from '@financing-checkout/ticket';
import type { Order } from '../orders/order.ts';
import { toTicketOrder } from '../orders/order.ts';

export interface TicketOptions {
  /** `ORDER_TICKET_SECRET`, shared with the companion. */
  secret: string;
  audience: string;
  /** The shop's environment. A companion in another environment rejects the ticket. */
  environment: Environment;
  /** The page's origin, so that a ticket copied to another site is useless. */
  origin: string;
}

/** Lifetime of a ticket in seconds. Each view of the payment page signs a new one. */
const TICKET_LIFETIME = 15 * 60;

/**
 * Signs the order ticket. A checkout needs nothing else from the shop's backend: the amount comes
 * from the order store, and the browser only carries it.
 */
export function ticketFor(
  order: Order,
  { secret, audience, environment, origin }: TicketOptions,
): Promise<string> {
  return signOrderTicket(toTicketOrder(order), {
    secret,
    audience,
    environment,
    origin,
    lifetimeSeconds: TICKET_LIFETIME,
  });
}
