import { turn } from './orders.ts';
import type { AnswerStore, LinesRow, OrderQuery, StatusRow } from './store.ts';

/** Orders at a time: few enough that between two pages a checkout has its turn. */
const SWEEP_SIZE = 200;

/** Statuses and lines of orders, page by page. */
export async function* linePages(
  store: AnswerStore,
  query: Omit<OrderQuery, 'after' | 'limit'>,
): AsyncGenerator<{ rows: StatusRow[]; lines: LinesRow[] }> {
  // Of few orders among many, what lies between them is not read.
  const isSparse = [query.orderKeys, query.exception, query.headline].some(
    (filter) => filter !== undefined,
  );
  let after: OrderQuery['after'];
  do {
    const { rows, next } = await store.orderStatuses({ ...query, after, limit: SWEEP_SIZE });
    const first = rows[0];
    const last = rows.at(-1);
    if (first !== undefined && last !== undefined) {
      const wanted = new Set(rows.map(placeOf));
      const keys = isSparse
        ? [...new Set(rows.map(({ orderKey }) => orderKey))]
        : { first: first.orderKey, last: last.orderKey };
      const all = await store.linesOfOrders(query.environment, keys);
      yield { rows, lines: all.filter((line) => wanted.has(placeOf(line))) };
    }
    after = next;
    await turn();
  } while (after !== undefined);
}

const placeOf = ({ orderKey, currency }: { orderKey: string; currency: string }) =>
  JSON.stringify([orderKey, currency]);
