import type { Calendar } from '@financing-checkout/contract/calendar';
import type { DuckDBConnection } from '@duckdb/node-api';
import { merchantOrderIdOf } from '../platform/order-key.ts';
import { isoTime } from '@financing-checkout/kit';
import { currencyAssumed } from './assumed.ts';
import type { StatusFilter } from './order-filter.ts';
import { linesOfOrders } from './order-lines.ts';
import { allOrders } from './orders.ts';
import type { QueryContext } from './reliability.ts';
import { select, text } from './rows.ts';
import { streamStatuses } from './status-records.ts';

/** Yields matching orders or exceptions in the API's format, in one query. */
export async function* orderRecords(
  connection: DuckDBConnection,
  table: 'orders' | 'exceptions',
  { calendar, ...query }: StatusFilter & { calendar: Calendar },
): AsyncGenerator<object[]> {
  for await (const page of streamStatuses(connection, query, calendar)) {
    if (table === 'orders') yield page;
    else {
      yield page.flatMap(({ orderKey, currency, currencyAssumed: isAssumed, exceptions }) =>
        exceptions
          .filter(({ code }) => query.exception === undefined || code === query.exception)
          .map((exception) => ({
            ...placeOf(orderKey, currency),
            ...currencyAssumed(isAssumed),
            ...exception,
          })),
      );
    }
  }
}

function placeOf(orderKey: string, currency: string) {
  return { orderKey, merchantOrderId: merchantOrderIdOf(orderKey), currency };
}

const PAGE = 5_000;

/** Yields matching lines in the API's format, page by page. */
export async function* lineRecords(
  ctx: QueryContext,
  query: StatusFilter,
): AsyncGenerator<object[]> {
  const { from = -Infinity, to = Infinity, ...filter } = query;
  const isIn = (at: number) => at >= from && at < to;
  const isOfAll = Object.values<unknown>(filter).every((value) => value === undefined);
  const records = (found: Awaited<ReturnType<typeof linesOfOrders>>) =>
    found.flatMap(({ orderKey, currency, currencyAssumed: isAssumed, ledger, fundings }) => [
      ...ledger
        .filter(({ occurredAt }) => isIn(occurredAt))
        .map((line) => ({
          ...placeOf(orderKey, currency),
          source: 'ledger',
          line: { ...line, occurredAt: isoTime(line.occurredAt) },
        })),
      ...fundings
        .filter(({ fundedAt }) => isIn(fundedAt))
        .map((line) => ({
          ...placeOf(orderKey, currency),
          ...currencyAssumed(isAssumed),
          source: 'funding',
          line: {
            ...line,
            fundedAt: isoTime(line.fundedAt),
            updatedAt: isoTime(line.updatedAt),
          },
        })),
    ]);
  if (!isOfAll) {
    for await (const page of allOrders(ctx, filter)) {
      const places = new Set(page.map(({ orderKey, currency }) => `${currency} ${orderKey}`));
      const keys = [...new Set(page.map(({ orderKey }) => orderKey))];
      const found = await ctx.database.read(
        (connection) => linesOfOrders(connection, keys),
        ctx.signal,
      );
      yield records(
        found.filter(
          ({ orderKey, currency }) =>
            places.has(`${currency} ${orderKey}`) ||
            (currency === '' && filter.currency === undefined),
        ),
      );
    }
    return;
  }
  // Includes orders without a status.
  for (let after = ''; ;) {
    const start = after;
    const found = await ctx.database.read(async (connection) => {
      const keys = await select(
        connection,
        `select distinct order_key from (select order_key from fundings where problem is null
          union all select order_key from ledger_lines)
        where order_key > $after order by order_key limit ${PAGE}`,
        { after: start },
      );
      const list = keys.map((row) => text(row.order_key));
      return { last: list.at(-1), lines: await linesOfOrders(connection, list) };
    }, ctx.signal);
    if (found.last === undefined) return;
    yield records(found.lines);
    after = found.last;
  }
}
