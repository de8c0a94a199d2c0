import type { DuckDBConnection, DuckDBValue } from '../platform/duckdb.ts';
import { csvLine, csvSeparators } from '@financing-checkout/contract/csv';
import { copyLines } from './copy-lines.ts';
import { moneyCell, textCell } from './csv-sql.ts';
import type { ExportRequest, ExportRows } from './export-rows.ts';
import { columnsOf, type TableColumn } from './export-tables.ts';
import { hasShares } from './order-filter.ts';
import { select, text, whole } from './rows.ts';
import { type ZonedSql, zonedSql } from './zone-offsets.ts';

/** Writes an export as CSV. */
export async function writeCsv(
  connection: DuckDBConnection,
  path: string,
  request: ExportRequest,
  { now, rows, order, parameters }: ExportRows & { now: number },
): Promise<void> {
  const { bom, decimal, table, times, zone } = request;
  const hasShare = table === 'orders' && hasShares(request.query);
  const columns = columnsOf(table, { zone, now, hasShare, hasOffset: times === 'spreadsheet' });
  const moments = columns.filter(({ kind }) => kind === 'moment');
  const [range] = await select(
    connection,
    `select least(${moments.map(({ sql }) => `min(${sql})`).join(', ')}) as first,
      greatest(${moments.map(({ sql }) => `max(${sql})`).join(', ')}) as last,
      list(distinct r.currency) as currencies from (${rows}) r`,
    parameters,
  );
  const first = range?.first === null ? 0 : whole(range?.first);
  const last = range?.last === null ? 0 : whole(range?.last);
  const found = range?.currencies as { items: DuckDBValue[] } | null | undefined;
  const currencies = (found?.items ?? []).map(text);
  const zoned = zonedSql(zone, first, last);
  const separator = csvSeparators[decimal];
  const line = columns
    .map((column) => `(${cellOf(column, { currencies, decimal, times, zoned })})`)
    .join(` || '${separator}' || `);
  const names = columns.map(({ name: value }) => ({ kind: 'text', value }) as const);
  const head = csvLine(names, decimal).trimEnd();
  await copyLines(
    connection,
    path,
    request,
    { rows, order, parameters },
    { line, head: (bom ? '\uFEFF' : '') + head, end: '\\r\\n' },
  );
}

/** Returns SQL for the cell of a column. */
function cellOf(
  { kind, sql }: TableColumn,
  {
    currencies,
    decimal,
    times,
    zoned,
  }: Pick<ExportRequest, 'decimal' | 'times'> & { currencies: string[]; zoned: ZonedSql },
): string {
  switch (kind) {
    case 'text':
      return textCell(sql);
    case 'word':
      return `coalesce(${sql}, '')`;
    case 'amount':
      return moneyCell(sql, { currency: 'r.currency', currencies, decimal });
    case 'count':
      return `coalesce((${sql})::varchar, '')`;
    case 'moment':
      return `coalesce(${zoned.time(sql, times, decimal)}, '')`;
    case 'offset':
      return `coalesce(${zoned.offset(sql)}, '')`;
  }
}
