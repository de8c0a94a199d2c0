import type { PaidOrder } from './paid-order.ts';

/**
 * Orders that are paid in full, as two values: what passes between threads is copied object by
 * object and property by property, and that takes longer than to find them.
 */
export interface PackedOrders {
  /** JSON of their keys and currencies, in turn. */
  places: string;
  /** Five for each: settle, refund, discount, net, and 1 for one that stood otherwise. */
  numbers: Float64Array;
}

const NUMBERS = 5;

export function packOrders(orders: readonly PaidOrder[]): PackedOrders {
  const places: string[] = [];
  const numbers = new Float64Array(orders.length * NUMBERS);
  let at = 0;
  for (const { orderKey, currency, settle, refund, discount, net, stood } of orders) {
    places.push(orderKey, currency);
    numbers[at++] = settle;
    numbers[at++] = refund;
    numbers[at++] = discount;
    numbers[at++] = net;
    numbers[at++] = Number(stood);
  }
  return { places: JSON.stringify(places), numbers };
}

export function unpackOrders({ places, numbers }: PackedOrders): PaidOrder[] {
  const names = JSON.parse(places) as string[];
  return Array.from({ length: numbers.length / NUMBERS }, (_, at) => {
    const [settle = 0, refund = 0, discount = 0, net = 0, stood = 0] = numbers.subarray(
      at * NUMBERS,
    );
    const [orderKey = '', currency = ''] = [names[2 * at], names[2 * at + 1]];
    return { orderKey, currency, settle, refund, discount, net, stood: stood === 1 };
  });
}
