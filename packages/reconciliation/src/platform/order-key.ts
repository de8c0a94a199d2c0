/**
 * What all lines and fundings of an order are found by: `order:` and the merchant's id. A funding
 * that names no order has a key of its own, `funding:` and its identity.
 */
export function orderKeyOf(merchantOrderId: string): string {
  return PREFIX + merchantOrderId;
}

/** The merchant's order id in a key; undefined for a funding that names no order. */
export function merchantOrderIdOf(orderKey: string): string | undefined {
  return orderKey.startsWith(PREFIX) ? orderKey.slice(PREFIX.length) : undefined;
}

const PREFIX = 'order:';
