import { turn } from './orders.ts';
import type { LinesRow, StatusRow } from './rows.ts';
import type { AnswerStore, OrderQuery } from './store.ts';

/** Orders at a time: few enough that between two pages a checkout has its turn. */
const SWEEP_SIZE = 200;

export interface LinePage {
  rows: StatusRow[];
  lines: LinesRow[];
  /** Fundings of these orders whose currency nobody knows; each is in one page. */
  withoutCurrency: LinesRow[];
  /** Orders of which a record was read that is in no sum: what they miss may be that. */
  unplaced: ReadonlySet<string>;
}

/** Statuses and lines of orders, page by page, in the order of their places. */
export async function* linePages(
  store: AnswerStore,
  query: Omit<OrderQuery, 'after' | 'limit'>,
): AsyncGenerator<LinePage> {
  // Of few orders among many, what lies between them is not read.
  const isSparse = [query.orderKeys, query.exception, query.headline].some(
    (filter) => filter !== undefined,
  );
  // Where all orders are asked for, there are also those of which nothing has a known currency: they
  // have no status. When what they have was posted, whoever asks for a time sees from its lines.
  const isOfAll =
    !isSparse && [query.currency, query.lenders].every((filter) => filter === undefined);
  const { environment } = query;
  /** Up to which order what has no known currency is in a page. */
  let unpriced = '';
  let after: OrderQuery['after'];
  /** The last order of the page before. */
  let before: string | undefined;
  do {
    const { rows, next } = await store.orderStatuses({ ...query, after, limit: SWEEP_SIZE });
    const first = rows[0];
    const last = rows.at(-1);
    if (isOfAll) yield* unpricedPages(store, environment, unpriced, next?.orderKey);
    unpriced = next?.orderKey ?? unpriced;
    if (first !== undefined && last !== undefined) {
      const orders = new Set(rows.map(({ orderKey }) => orderKey));
      const keys = isSparse ? [...orders] : { first: first.orderKey, last: last.orderKey };
      const all = await store.linesOfOrders(environment, keys);
      const byPlace = new Map(all.map((line) => [placeOf(line), line]));
      const unknown = all.filter(
        ({ orderKey, currency, fundings }) =>
          currency === '' && fundings.length > 0 && orders.has(orderKey),
      );
      const quarantined = await store.quarantinedOrders(environment, first.orderKey, last.orderKey);
      yield {
        rows,
        lines: rows.flatMap((row) =>
          row.currency === '' ? [] : (byPlace.get(placeOf(row)) ?? []),
        ),
        // One page may end, and the next one begin, with the same order.
        withoutCurrency: isOfAll ? [] : unknown.filter(({ orderKey }) => orderKey !== before),
        unplaced: new Set([...quarantined, ...unknown.map(({ orderKey }) => orderKey)]),
      };
      before = last.orderKey;
    }
    after = next;
    await turn();
  } while (after !== undefined);
}

/** Pages of what has no known currency, of the orders after a key and up to another one. */
async function* unpricedPages(
  store: AnswerStore,
  environment: string,
  from: string,
  upTo: string | undefined,
): AsyncGenerator<LinePage> {
  for (let after = from; ;) {
    const keys = await store.ordersWithoutCurrency(environment, { after, upTo }, SWEEP_SIZE);
    const last = keys.at(-1);
    if (last === undefined) return;
    const lines = await store.linesOfOrders(environment, keys);
    const withoutCurrency = lines.filter(({ currency }) => currency === '');
    yield { rows: [], lines: [], withoutCurrency, unplaced: new Set() };
    after = last;
    await turn();
  }
}

const placeOf = ({ orderKey, currency }: { orderKey: string; currency: string }) =>
  JSON.stringify([orderKey, currency]);
