import type { PaidOrder } from './paid-order.ts';

/**
 * Orders that are paid in full, as two values: what passes between threads is copied object by
 * object and property by property, and that takes longer than to find them.
 */
export interface PackedOrders {
  /** JSON of their keys and currencies, in turn. */
  places: string;
  /** Four for each: settle, refund, discount, net. */
  amounts: Float64Array;
}

const AMOUNTS = 4;

export function packOrders(orders: readonly PaidOrder[]): PackedOrders {
  const places: string[] = [];
  const amounts = new Float64Array(orders.length * AMOUNTS);
  let at = 0;
  for (const { orderKey, currency, settle, refund, discount, net } of orders) {
    places.push(orderKey, currency);
    amounts[at++] = settle;
    amounts[at++] = refund;
    amounts[at++] = discount;
    amounts[at++] = net;
  }
  return { places: JSON.stringify(places), amounts };
}

export function unpackOrders({ places, amounts }: PackedOrders): PaidOrder[] {
  const names = JSON.parse(places) as string[];
  return Array.from({ length: amounts.length / AMOUNTS }, (_, at) => {
    const [settle = 0, refund = 0, discount = 0, net = 0] = amounts.subarray(at * AMOUNTS);
    const [orderKey = '', currency = ''] = [names[2 * at], names[2 * at + 1]];
    return { orderKey, currency, settle, refund, discount, net };
  });
}
