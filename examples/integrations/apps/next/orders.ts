import { randomUUID } from 'node:crypto';
import type { Order } from '@financing-checkout/server/ticket';

interface StoredOrder {
  order: Order;
  status: 'open' | 'paid';
  /** The last revision of each checkout. */
  seen: Map<string, number>;
}

// In place of your database. Next.js loads this module once for pages and once for routes.
const shared = globalThis as typeof globalThis & { orders?: Map<string, StoredOrder> };
export const orders = (shared.orders ??= new Map<string, StoredOrder>());

export function createOrder(): Order {
  const order: Order = {
    merchantOrderId: `A-${randomUUID()}`,
    currency: 'USD',
    items: [{ name: 'Lounge chair', sku: 'LC-1', price: 89000, quantity: 1 }],
    taxAmount: 5563,
    shippingAmount: 0,
    totalAmount: 94563,
  };
  orders.set(order.merchantOrderId, { order, status: 'open', seen: new Map() });
  return order;
}

/** Returns a variable of the environment. */
export function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name}.`);
  return value;
}

export const environment = 'sandbox' as const;
