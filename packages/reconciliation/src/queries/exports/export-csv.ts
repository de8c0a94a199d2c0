import type { DuckDBConnection, DuckDBValue } from '../../platform/duckdb.ts';
import {
  currencies as known,
  type CsvDecimal,
  csvGuard,
  csvLine,
  csvSeparators,
} from '@financing-checkout/contract/money';
import { DIGITS_OF_UNKNOWN } from '@financing-checkout/reconciliation-rules';
import { sqlText } from '../../platform/temporary-files.ts';
import { type ExportRequest, type ExportRows, languageOf } from './export-rows.ts';
import { columnsOf, type TableColumn } from './export-tables.ts';
import { hasShares } from '../orders/order-filter.ts';
import { digitsOf } from '../basis/reasons.ts';
import { select, text, whole } from '../basis/rows.ts';
import { type ZonedSql, zonedSql } from './zone-offsets.ts';

export async function writeCsv(
  connection: DuckDBConnection,
  path: string,
  request: ExportRequest,
  { now, rows, order, parameters }: ExportRows & { now: number },
): Promise<void> {
  const { bom, decimal, table, times, zone } = request;
  const hasShare = table === 'orders' && hasShares(request.query);
  const language = languageOf(request);
  const hasOffset = times === 'spreadsheet';
  const columns = columnsOf(table, { zone, now, hasShare, hasOffset, language });
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
  const head = (bom ? '\uFEFF' : '') + csvLine(names, decimal).trimEnd();
  // A row is shorter than its CSV line. Ledger lines have so many texts that sorting their CSV
  // lines can exceed the memory limit.
  const source = table === 'lines' ? `(${rows}) r ${order}` : `(from (${rows}) r ${order}) r`;
  // Without a quote character, DuckDB writes the text unchanged.
  await connection.run(
    `copy (select ${line} as "${head.replaceAll('"', '""')}" from ${source}) to ${sqlText(path)}
      (format csv, header, quote '', escape '', new_line '\\r\\n', use_tmp_file false)`,
    parameters,
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

const { border, first, lead, quoted, sign } = csvGuard;
const formulas = sqlText(`(^|${border})(${lead}*)(${sign})`);
const unprotected = sqlText(`^('*${first})`);
const unsafe = sqlText(`^${lead}*${sign}|${quoted}`);

/**
 * Returns SQL for a text cell, formatted as `csvLine` formats it: both are generated from the same
 * table of the guard.
 */
export function textCell(sql: string): string {
  const value = `coalesce(${sql}, '')`;
  const guarded = `regexp_replace(${value}, ${formulas}, '\\1\\2''\\3', 'g')`;
  const harmless = `regexp_replace(${guarded}, ${unprotected}, '''\\1')`;
  return `case when regexp_matches(${value}, ${unsafe})
    then '"' || replace(${harmless}, '"', '""') || '"' else ${value} end`;
}

/** Returns SQL for a cell with minor units of a currency, formatted as `decimal` formats it. */
export function moneyCell(
  amount: string,
  {
    currency,
    currencies,
    decimal,
  }: { currency: string; currencies: readonly string[]; decimal: CsvDecimal },
): string {
  const point = decimal === 'comma' ? ',' : '.';
  const padded = (digits: number) => {
    if (digits === 0) return `${amount}::varchar`;
    const unit = 10 ** digits;
    // A decimal of up to 18 digits is a single integer, which takes a third of the time.
    const short = `(try_cast(${amount} as decimal(${18 - digits}, 0)) * ${(1 / unit).toFixed(digits)}::decimal(${digits}, ${digits}))::varchar`;
    const long = `case when ${amount} < 0 then '-' else '' end || (abs(${amount}) // ${unit})::varchar
      || '.' || lpad((abs(${amount}) % ${unit})::varchar, ${digits}, '0')`;
    const value = `coalesce(${short}, ${long})`;
    return point === '.' ? value : `replace(${value}, '.', '${point}')`;
  };
  const byDigits = Map.groupBy(
    currencies.filter((code) => known.has(code)),
    digitsOf,
  );
  const cases = [...byDigits].map(
    ([digits, codes]) =>
      `when ${currency} in (${codes.map(sqlText).join(', ')}) then ${padded(digits)}`,
  );
  const unknown = `rtrim(rtrim(${padded(DIGITS_OF_UNKNOWN)}, '0'), '${point}')`;
  const value = cases.length === 0 ? unknown : `case ${cases.join(' ')} else ${unknown} end`;
  return `coalesce(${value}, '')`;
}
