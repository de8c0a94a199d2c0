import type { ListTable, ListValue } from '../../queries/list-tables.ts';
import { listBytes, type ListWriting } from '../../queries/list-file.ts';
import type { ListContext, ListFilter, ListSources } from './list.ts';
import { moneyLists } from './money.ts';
import { orderLists } from './order.ts';
import { periodLists } from './periods.ts';
import { reportLists } from './report.ts';
import { workLists } from './work.ts';

const sources: ListSources<ListTable> = {
  ...moneyLists,
  ...orderLists,
  ...workLists,
  ...reportLists,
  ...periodLists,
};

type Row = Readonly<Record<string, ListValue>>;

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
  const rows: AsyncGenerator<readonly Row[]> = sources[table](ctx, filter);
  const first = await rows.next();
  const pages = async function* (): AsyncGenerator<readonly Row[]> {
    if (first.done === true) return;
    yield first.value;
    yield* rows;
  };
  return Object.assign(listBytes(table, pages(), writing), {
    destroy: () => void rows.return(undefined),
  });
}
