import type { OrderStatusRecord } from '@financing-checkout/contract';
import type { StatusFilter } from './order-filter.ts';
import type { QueryContext } from './reliability.ts';
import type { OrderPlace } from './rows.ts';
import { statusRecords } from './status-records.ts';

/** Returns a page of orders, sorted by key and currency. */
export async function ordersPage(
  ctx: QueryContext,
  { after, limit, ...filter }: StatusFilter & { after?: OrderPlace | undefined; limit: number },
): Promise<{ orders: OrderStatusRecord[]; next: OrderPlace | undefined }> {
  // An extra row shows whether there is a next page.
  const found = await ctx.database.read(
    (connection) => statusRecords(connection, filter, { after, limit: limit + 1 }),
    ctx.signal,
  );
  const orders = found.slice(0, limit);
  const last = orders.at(-1);
  const next =
    found.length > limit && last ? { orderKey: last.orderKey, currency: last.currency } : undefined;
  return { orders, next };
}

const PAGE = 5_000;

/** Yields all matching orders, page by page. */
export async function* allOrders(
  ctx: QueryContext,
  filter: StatusFilter,
): AsyncGenerator<OrderStatusRecord[]> {
  let after: OrderPlace | undefined;
  do {
    const page = await ordersPage(ctx, { ...filter, after, limit: PAGE });
    if (page.orders.length > 0) yield page.orders;
    after = page.next;
  } while (after !== undefined);
}
