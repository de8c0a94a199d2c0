import type { Environment } from '@financing-checkout/contract';
import { signOrderTicket } from '@financing-checkout/server/ticket';
import type { Order } from '../orders/order.ts';
import { toTicketOrder } from '../orders/order.ts';

export interface TicketOptions {
  /** `ORDER_TICKET_SECRET`, shared with the companion. */
  secret: string;
  audience: string;
  /** The shop's environment: the companion of another one refuses the ticket. */
  environment: Environment;
  /** The page's origin: a ticket copied to another site is worth nothing there. */
  origin: string;
}

/** How long a ticket is good for, in seconds. Each view of the payment page signs a fresh one. */
const TICKET_LIFETIME = 15 * 60;

/**
 * Signs what the shopper is about to pay. This is all of the shop's backend that a checkout needs:
 * the amount comes from the order store, and the browser only carries it.
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
