/**
 * Returns the key of an order's lines and fundings: `order:` and the merchant's order id. A funding
 * without an order has its own key: `funding:` and the funding's identity.
 */
export function orderKeyOf(merchantOrderId: string): string {
  return PREFIX + merchantOrderId;
}

/** Returns the merchant's order id from a key; undefined for a funding without an order. */
export function merchantOrderIdOf(orderKey: string): string | undefined {
  return orderKey.startsWith(PREFIX) ? orderKey.slice(PREFIX.length) : undefined;
}

/** Returns SQL for the merchant's order id from SQL for a key; null for a funding without an order. */
export function merchantOrderIdSql(orderKey: string): string {
  return `case when starts_with(${orderKey}, '${PREFIX}') then substr(${orderKey}, ${PREFIX.length + 1}) end`;
}

/** Returns SQL for whether a key is that of a funding without an order. */
export function isOfNoOrderSql(orderKey: string): string {
  return `(not starts_with(${orderKey}, '${PREFIX}'))`;
}

const PREFIX = 'order:';
