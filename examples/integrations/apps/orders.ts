/* The server side of each app: creates and signs an order, and receives its result. */
import { randomUUID } from 'node:crypto';
import {
  isPaid,
  signOrderTicket,
  type Order,
  type WebhookMessage,
} from '@financing-checkout/ticket';
import { Webhook } from 'standardwebhooks';

/** The data that a page of the shop shows. None of it is secret. */
export interface Payment {
  merchantOrderId: string;
  /** The signed order. */
  ticket: string;
  publicKey: string;
  environment: 'sandbox';
  companion: string;
}

interface StoredOrder {
  order: Order;
  status: 'open' | 'paid';
  /** The last revision of each checkout. */
  seen: Map<string, number>;
}

const environment = 'sandbox';

// Replace this with your database. Next.js loads this module once for pages and once for routes.
const shared = globalThis as typeof globalThis & { orders?: Map<string, StoredOrder> };
const orders = (shared.orders ??= new Map<string, StoredOrder>());

/** Returns an environment variable. */
function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name}.`);
  return value;
}

/** Creates an order and signs it. The secret stays on the server. */
export async function createPayment(): Promise<Payment> {
  const order: Order = {
    merchantOrderId: `A-${randomUUID()}`,
    currency: 'USD',
    items: [{ name: 'Lounge chair', sku: 'LC-1', price: 89000, quantity: 1 }],
    taxAmount: 5563,
    shippingAmount: 0,
    totalAmount: 94563,
  };
  orders.set(order.merchantOrderId, { order, status: 'open', seen: new Map() });
  return {
    merchantOrderId: order.merchantOrderId,
    ticket: await signOrderTicket(order, { secret: setting('ORDER_TICKET_SECRET'), environment }),
    publicKey: setting('FINANCING_PUBLIC_API_KEY'),
    environment,
    companion: setting('COMPANION_URL'),
  };
}

/** Returns an order's status. Only what the webhook reported counts. */
export function statusOf(merchantOrderId: string): 'open' | 'paid' | undefined {
  return orders.get(merchantOrderId)?.status;
}

/** Renders an order's page. */
export function showStatus(merchantOrderId: string): Response {
  const status = statusOf(merchantOrderId);
  return Response.json({ status }, { status: status ? 200 : 404 });
}

/** Receives a webhook from the companion. */
export async function receiveResult(request: Request): Promise<Response> {
  let data: WebhookMessage['data'];
  try {
    const webhook = new Webhook(setting('COMPANION_WEBHOOK_SECRET'));
    const headers = Object.fromEntries(request.headers);
    // The signature covers the received bytes, so the body must not be parsed before it is verified.
    ({ data } = webhook.verify(await request.text(), headers) as WebhookMessage);
  } catch {
    return new Response('The signature or the timestamp is not valid.', { status: 401 });
  }
  const stored = orders.get(data.merchantOrderId);
  if (!stored) return new Response('There is no such order.', { status: 404 });
  // Messages arrive at least once and in any order. Each checkout counts its own revisions.
  if (data.revision > (stored.seen.get(data.checkoutId) ?? 0)) {
    stored.seen.set(data.checkoutId, data.revision);
    if (isPaid(data, { ...stored.order, environment })) stored.status = 'paid';
  }
  return new Response(null, { status: 204 });
}
