/**
 * Returns the key of an order's lines and fundings: `order:` and the merchant's order id. A funding
 * without an order has a key of its own: `funding:` and the funding's identity.
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

/** Returns SQL for the place of a row in lists: orders by key and currency, then fundings without one. */
export function orderPlaceSql(orderKey: string, currency: string): string {
  return `not starts_with(${orderKey}, '${PREFIX}'), ${orderKey}, ${currency}`;
}

const PREFIX = 'order:';
