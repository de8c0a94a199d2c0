import { listColumns, type ListTable, type ListValue } from '../../queries/list-tables.ts';
import { listBytes, type ListWriting } from '../../queries/list-file.ts';
import type { ListContext, ListFilter, ListSources } from './list.ts';
import { within } from '../period.ts';
import { moneyLists } from './money.ts';
import { orderLists } from './order.ts';
import { reportLists } from './report.ts';
import { workLists } from './work.ts';

const sources: ListSources<ListTable> = {
  ...moneyLists,
  ...orderLists,
  ...workLists,
  ...reportLists,
};

type Row = Readonly<Record<string, ListValue>>;

/** Columns that `from` and `to` select by, of lists whose source does not select itself. */
const timeColumns: Partial<Record<ListTable, string>> = {
  'case-trail': 'at',
  imports: 'at',
  syncs: 'started_at',
  quarantine: 'seen_at',
};

async function* rowsWithin(
  pages: AsyncGenerator<readonly Row[]>,
  column: string,
  isWithin: (at: string) => boolean,
): AsyncGenerator<readonly Row[]> {
  for await (const page of pages) {
    yield page.filter(({ [column]: at }) => typeof at === 'string' && isWithin(at));
  }
}

/**
 * Returns a list as a file. Reads the first page in advance, because most failures occur before the
 * response begins.
 */
export async function exportList(
  ctx: ListContext,
  table: ListTable,
  filter: ListFilter,
  writing: ListWriting,
): Promise<AsyncIterable<Uint8Array> & { destroy(): void }> {
  const all: AsyncGenerator<readonly Row[]> = sources[table](ctx, filter);
  const column = timeColumns[table];
  const rows = column === undefined ? all : rowsWithin(all, column, within(filter, ctx.zone));
  const first = await rows.next();
  const pages = async function* (): AsyncGenerator<readonly Row[]> {
    if (first.done === true) return;
    yield first.value;
    yield* rows;
  };
  const columns = Object.entries(listColumns[table]).map(([name, kind]) => ({ name, kind }));
  return Object.assign(listBytes({ name: table, columns }, pages(), writing), {
    destroy: () => void rows.return(undefined),
  });
}
