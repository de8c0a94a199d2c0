/**
 * Returns the key of an order's lines and fundings: `order:` and the merchant's id. A funding
 * without an order has its own key, `funding:` and its identity.
 */
export function orderKeyOf(merchantOrderId: string): string {
  return PREFIX + merchantOrderId;
}

/** Returns the merchant's order id of a key; undefined for a funding without an order. */
export function merchantOrderIdOf(orderKey: string): string | undefined {
  return orderKey.startsWith(PREFIX) ? orderKey.slice(PREFIX.length) : undefined;
}

const PREFIX = 'order:';
