import type { ListedOrder, ShareSum } from '@financing-checkout/contract';
import { calendarOf } from '@financing-checkout/reconciliation-rules';
import { hasShares, type StatusFilter } from './order-filter.ts';
import type { QueryContext } from './reliability.ts';
import type { OrderPlace } from './rows.ts';
import { shareSums, statusRecords } from './status-records.ts';

/**
 * Returns a page of orders, sorted by key and currency. With shares, the first page includes
 * their totals over all orders.
 */
export async function ordersPage(
  ctx: QueryContext,
  { after, limit, ...filter }: StatusFilter & { after?: OrderPlace | undefined; limit: number },
): Promise<{ orders: ListedOrder[]; next: OrderPlace | undefined; shares?: ShareSum[] }> {
  // An extra row shows whether there is a next page.
  const calendar = calendarOf(ctx.policy.slaDays);
  const isSummed = hasShares(filter) && after === undefined;
  const { found, shares } = await ctx.database.read(
    async (connection) => ({
      found: await statusRecords(connection, filter, { after, limit: limit + 1, calendar }),
      shares: isSummed ? await shareSums(connection, filter) : undefined,
    }),
    ctx.signal,
  );
  const orders = found.slice(0, limit);
  const last = orders.at(-1);
  const next =
    found.length > limit && last ? { orderKey: last.orderKey, currency: last.currency } : undefined;
  return shares === undefined ? { orders, next } : { orders, next, shares };
}
