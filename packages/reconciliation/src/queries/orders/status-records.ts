import { type DuckDBConnection, listValue } from '../../platform/duckdb.ts';
import {
  exceptionCodes,
  type ListedOrder,
  type OrderStatusRecord,
  type ShareSum,
} from '@financing-checkout/contract/reconciliation';
import type { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import { isoTime } from '@financing-checkout/kit';
import { merchantOrderIdOf } from '../../platform/order-key.ts';
import { currencyAssumed, reasonsOf } from '../basis/reasons.ts';
import { type StatusFilter, isOfPaidOrders, statusConditions } from './order-filter.ts';
import { orderBy, ofOrders, type Place } from '../basis/keyset.ts';
import { type Row, select, sumOrNull, text, whole, word } from '../basis/rows.ts';

/** Number of orders to examine first per order of a page. */
const FIRST_ORDERS = 16;

type Exception = OrderStatusRecord['exceptions'][number];

/**
 * Returns matching statuses with their exceptions, sorted by order key and currency, and
 * fundings without an order last.
 * @param page `calendar`: days of the business zone, for the reasons
 */
export async function statusRecords(
  connection: DuckDBConnection,
  filter: StatusFilter,
  page: { after?: Place | undefined; limit: number; calendar: Calendar },
): Promise<ListedOrder[]> {
  const find = (first?: number) => {
    const { conditions, parameters, source } = statusConditions(filter, page.after, first);
    return select(
      connection,
      `select s.* from ${source} ${conditions} ${orderBy(ofOrders('s'))} limit ${page.limit}`,
      parameters,
    );
  };
  const { step } = filter;
  // Adding up the shares of all orders takes long, and most pages come from the first orders.
  const firstRows =
    step !== undefined && isOfPaidOrders(step.name) ? await find(page.limit * FIRST_ORDERS) : [];
  const rows = firstRows.length === page.limit ? firstRows : await find();
  if (rows.length === 0) return [];
  // The filter is not evaluated again, because it may have read all orders.
  const exceptions = await select(
    connection,
    'select * from order_exceptions where order_key in (select unnest($keys::varchar[]))',
    { keys: listValue(rows.map((row) => text(row.order_key))) },
  );
  const byPlace = Map.groupBy(exceptions, placeOf);
  return rows.map((row) => statusRecord(row, byPlace.get(placeOf(row)) ?? [], page.calendar));
}

/**
 * Returns the number of matching orders and the total of their shares, by currency.
 */
export async function shareSums(
  connection: DuckDBConnection,
  filter: StatusFilter,
): Promise<ShareSum[]> {
  const { conditions, parameters, source, shares } = statusConditions(filter);
  // Every order with a share has a status, so statuses are needed only for other filters.
  const found = conditions === '' && shares !== undefined ? `(${shares}) s` : source;
  const rows = await select(
    connection,
    `select s.currency, sum(s.share) as amount, count(*) as count,
      ${filter.selected?.countsFundings === true ? 'sum(s.fundings)' : 'null'} as fundings
    from ${found} ${conditions} group by s.currency order by s.currency`,
    parameters,
  );
  return rows.map((row) => {
    const sum: ShareSum = {
      currency: text(row.currency),
      amount: sumOrNull(row.amount),
      count: whole(row.count),
    };
    if (row.fundings !== null) sum.fundings = whole(row.fundings);
    return sum;
  });
}

/** Returns the number of matching orders. */
export async function countOrders(
  connection: DuckDBConnection,
  filter: StatusFilter,
): Promise<number> {
  const { conditions, parameters, source } = statusConditions(filter);
  const [row] = await select(
    connection,
    `select count(*) as count from ${source} ${conditions}`,
    parameters,
  );
  return whole(row?.count);
}

/** Returns an exception in the API's format. */
export function exceptionRecord(row: Row): Exception {
  return {
    code: word('code', row.code),
    amount: whole(row.amount),
    count: whole(row.count),
    since: isoTime(whole(row.since)),
  };
}

function statusRecord(row: Row, exceptions: readonly Row[], calendar: Calendar): ListedOrder {
  const orderKey = text(row.order_key);
  const merchantOrderId = merchantOrderIdOf(orderKey);
  const recheckAt = row.recheck_at;
  const record: Omit<ListedOrder, 'reasons'> = {
    orderKey,
    merchantOrderId,
    currency: text(row.currency),
    ...currencyAssumed(row.assumed),
    headline: word('headline', row.headline),
    funding: word('funding', row.funding),
    returns: word('returns', row.returns),
    expected: { settle: whole(row.expected_settle), refund: whole(row.expected_refund) },
    funded: {
      settle: whole(row.funded_settle),
      refund: whole(row.funded_refund),
      chargeback: whole(row.funded_chargeback),
      reversal: whole(row.funded_reversal),
    },
    discount: whole(row.discount),
    net: whole(row.net),
    awaiting: whole(row.awaiting),
    exceptions: exceptions
      .map(exceptionRecord)
      .sort((a, b) => exceptionCodes.indexOf(a.code) - exceptionCodes.indexOf(b.code)),
    ...(typeof recheckAt === 'number' ? { recheckAt: isoTime(recheckAt) } : {}),
    computedAt: isoTime(whole(row.computed_at)),
    changedAt: isoTime(whole(row.changed_at)),
  };
  if (row.share !== undefined) record.share = whole(row.share);
  return { ...record, reasons: reasonsOf(record, calendar) };
}

function placeOf(row: Row): string {
  return JSON.stringify([row.order_key, row.currency]);
}
