import type { ExceptionCode, OrderStatusRecord } from '@financing-checkout/contract';
import { exceptionCodes } from '@financing-checkout/contract';
import { isoTime } from '../../clock/clock.ts';
import type { ExceptionRow } from '../cases/rows.ts';
import { reasonsOf } from './reasons.ts';
import type { OrderPlace, StatusRow } from './rows.ts';
import type { AnswerStore, OrderQuery } from './store.ts';

/** Looks one request takes before it answers with what it has found so far. */
const MAX_LOOKS = 20;

/**
 * A page of orders with their exceptions. Where a filter matches little, the page is short and
 * `next` says where the search goes on: no request reads a whole history.
 */
export async function orderPage(
  store: AnswerStore,
  query: OrderQuery,
): Promise<{ orders: OrderStatusRecord[]; next: OrderPlace | undefined }> {
  const rows: StatusRow[] = [];
  let after = query.after;
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const page = await store.orderStatuses({ ...query, after, limit: query.limit - rows.length });
    rows.push(...page.rows);
    after = page.next;
    if (after === undefined || rows.length === query.limit) break;
    await turn();
  }
  return { orders: await withExceptions(store, query.environment, rows), next: after };
}

/** All orders that match, page by page. */
export async function* orderPages(
  store: AnswerStore,
  query: Omit<OrderQuery, 'after'>,
): AsyncGenerator<OrderStatusRecord[]> {
  let after: OrderPlace | undefined;
  do {
    const page = await orderPage(store, { ...query, after });
    if (page.orders.length > 0) yield page.orders;
    after = page.next;
    await turn();
  } while (after !== undefined);
}

/**
 * Lets requests and timers have their turn: a loop over reads that are there at once would be the
 * only thing this process does.
 */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    soon(resolve);
  });
}

/** A timer waits for a millisecond, which over a history adds up; not every runtime has another way. */
const soon: (resume: () => void) => unknown =
  typeof setImmediate === 'function' ? setImmediate : setTimeout;

export async function withExceptions(
  store: AnswerStore,
  environment: string,
  rows: readonly StatusRow[],
): Promise<OrderStatusRecord[]> {
  const keys = new Set(rows.map(({ orderKey }) => orderKey));
  const found = await store.exceptionsOfOrders(environment, [...keys]);
  const byOrder = Map.groupBy(found, placeOf);
  return rows.map((row) => statusRecord(row, byOrder.get(placeOf(row)) ?? []));
}

function statusRecord(row: StatusRow, exceptions: readonly ExceptionRow[]): OrderStatusRecord {
  const { orderKey, merchantOrderId, currency, headline, funding, returns, recheckAt } = row;
  const record = {
    orderKey,
    ...(merchantOrderId === undefined ? {} : { merchantOrderId }),
    currency,
    headline,
    funding,
    returns,
    expected: row.expected,
    funded: row.funded,
    discount: row.discount,
    net: row.net,
    awaiting: row.awaiting,
    exceptions: exceptions
      .map(({ code, amount, count, since }) => ({ code, amount, count, since: isoTime(since) }))
      .sort((a, b) => gravity(a.code) - gravity(b.code)),
    ...(recheckAt === undefined ? {} : { recheckAt: isoTime(recheckAt) }),
    computedAt: isoTime(row.computedAt),
    changedAt: isoTime(row.changedAt),
  };
  return { ...record, reasons: reasonsOf(record) };
}

/** The gravest first, as the contract lists them. */
const gravity = (code: ExceptionCode) => exceptionCodes.indexOf(code);

function placeOf({ orderKey, currency }: OrderPlace): string {
  return JSON.stringify([orderKey, currency]);
}
