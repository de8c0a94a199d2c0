import type { WalkAmount } from '@financing-checkout/contract';
import type { Engine } from '../../engine/engine.ts';
import type { ListRow, ListTable } from '../../queries/list-tables.ts';

/** Filter of a list. Each list uses the parameters of its own query. */
export interface ListFilter {
  currency?: string | undefined;
  lender?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  orderKey?: string | undefined;
  caseId?: string | undefined;
  kind?: string | undefined;
  state?: string | undefined;
  /** A period of the books. */
  period?: string | undefined;
  step?: WalkAmount | undefined;
  months?: number | undefined;
  until?: string | undefined;
}

export interface ListContext {
  engine: Engine;
  signal: AbortSignal;
  /** Time zone of the days in the filter. */
  zone: string;
}

/** Yields all rows of a list that the console shows, page by page. */
type ListSource<Table extends ListTable> = (
  ctx: ListContext,
  filter: ListFilter,
) => AsyncGenerator<ListRow<Table>[]>;
export type ListSources<Table extends ListTable> = { [One in Table]: ListSource<One> };

/** Maximum number of rows per read from the record store. */
export const PAGE = 500;

/** Yields the pages of a list that is read by keyset pagination. */
export async function* pagesOf<Row>(
  read: (last: Row | undefined, limit: number) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let last: Row | undefined; ;) {
    const page = await read(last, PAGE);
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    last = page.at(-1);
  }
}

/** Returns the fields of an order that each of its rows repeats. */
export function orderOf(of: {
  orderKey?: string | undefined;
  merchantOrderId?: string | undefined;
}) {
  return { order: of.merchantOrderId, order_key: of.orderKey };
}

export const yesNo = (is: boolean | undefined) => (is === true ? 'yes' : 'no');

/** Returns basis points, hundredths of a percent, as a percentage. */
export const percentOf = (basisPoints: number | undefined) =>
  basisPoints === undefined ? undefined : Math.round(basisPoints * 100) / 10_000;
