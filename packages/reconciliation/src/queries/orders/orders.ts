import type { ListedOrder, ShareSum } from '@financing-checkout/contract/reconciliation';
import { calendarOf } from '@financing-checkout/reconciliation-rules';
import { hasShares, type StatusFilter } from './order-filter.ts';
import type { QueryContext } from '../basis/reliability.ts';
import { type Place, placeOfOrder } from '../basis/keyset.ts';
import { countOrders, shareSums, statusRecords } from './status-records.ts';

interface OrdersPage {
  orders: ListedOrder[];
  next: Place | undefined;
  /** With shares, on the first page. */
  shares: ShareSum[] | undefined;
  /** Number of all matching orders, on the first page if more follow. */
  count: number | undefined;
}

/**
 * Returns a page of orders, sorted by key and currency. With shares, the first page includes
 * their totals over all orders.
 */
export async function ordersPage(
  ctx: QueryContext,
  { after, limit, ...filter }: StatusFilter & { after?: Place | undefined; limit: number },
): Promise<OrdersPage> {
  // An extra row shows whether there is a next page.
  const calendar = calendarOf(ctx.policy.slaDays);
  const isFirst = after === undefined;
  return ctx.database.read(async (connection) => {
    const page = { after, limit: limit + 1, calendar };
    const found = await statusRecords(connection, filter, page);
    const shares = isFirst && hasShares(filter) ? await shareSums(connection, filter) : undefined;
    const orders = found.slice(0, limit);
    const last = orders.at(-1);
    const hasMore = found.length > limit;
    const count =
      isFirst && hasMore
        ? (shares?.reduce((sum, one) => sum + one.count, 0) ??
          (await countOrders(connection, filter)))
        : undefined;
    const next = hasMore && last ? placeOfOrder(last) : undefined;
    return { orders, next, shares, count };
  }, ctx.signal);
}
