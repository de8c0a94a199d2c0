import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { type CsvDecimal, csvLine, csvSeparators } from '@financing-checkout/contract/csv';
import type { TemporaryFiles } from '../platform/temporary-files.ts';
import { isGuessed } from '../analytics/schema.ts';
import { allCases, type CaseFilter, IS_ASSUMED, SIZE } from './cases.ts';
import { cellsOf, type ExportTable, momentsOf } from './export-tables.ts';
import { lineRecords, orderRecords } from './export-records.ts';
import { type StatusFilter, statusConditions } from './order-filter.ts';
import type { QueryContext } from './reliability.ts';
import { ROWS_IN_A_TURN, select, text, whole } from './rows.ts';
import { zonedTime } from './zone-offsets.ts';

/** Filter of an export. In `lines`, `from` and `to` apply to the line's own time. */
export type ExportRequest = {
  format: 'csv' | 'ndjson' | 'parquet';
  /** Whether CSV begins with a byte order mark, without which Excel does not recognise UTF-8. */
  bom: boolean;
  /** Decimal separator of CSV. */
  decimal: CsvDecimal;
  /** IANA name of the zone for times in CSV. NDJSON uses UTC, like the API. */
  zone: string;
} & (
  | { table: Exclude<ExportTable, 'cases'>; query: StatusFilter }
  | { table: 'cases'; query: CaseFilter }
);

const DAY_MS = 86_400_000;

/**
 * Writes an export to a private temporary file and returns it as a stream, so that a slow client
 * holds no database connection. The file is removed when the stream ends or is destroyed.
 * @param files in a folder that the database may write to
 */
export async function exportFile(
  ctx: QueryContext,
  files: TemporaryFiles,
  request: ExportRequest,
): Promise<AsyncIterable<Uint8Array> & { destroy(): void }> {
  const path = await files.write(`export-${request.table}`, '');
  try {
    if (request.format === 'parquet') await writeParquet(ctx, path, request);
    else if (request.format === 'csv') await writeCsv(ctx, path, request);
    else await writeRecords(ctx, path, request);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  const stream = createReadStream(path);
  stream.once('close', () => void rm(path, { force: true }));
  return stream;
}

async function writeCsv(ctx: QueryContext, path: string, request: ExportRequest): Promise<void> {
  const now = ctx.clock.now();
  const { rows, order, parameters } = rowsOf(request, now);
  await ctx.database.read(async (connection) => {
    const moments = momentsOf[request.table];
    const [range] = await select(
      connection,
      `select least(${moments.map((name) => `min(r.${name})`).join(', ')}) as first,
        greatest(${moments.map((name) => `max(r.${name})`).join(', ')}) as last,
        list(distinct r.currency) as currencies from (${rows}) r`,
      parameters,
    );
    const first = range?.first === null ? 0 : whole(range?.first);
    const currencies = range?.currencies as { items: DuckDBValue[] } | null | undefined;
    const hasShare = request.table === 'orders' && request.query.step !== undefined;
    const cells = cellsOf(request.table, {
      hasShare,
      zone: request.zone,
      decimal: request.decimal,
      currencies: (currencies?.items ?? []).map(text),
      time: zonedTime(request.zone, first, range?.last === null ? 0 : whole(range?.last)),
      now,
    });
    const separator = csvSeparators[request.decimal];
    const line = cells.map(([, sql]) => `(${sql})`).join(` || '${separator}' || `);
    const names = cells.map(([value]) => ({ kind: 'text', value }) as const);
    const head = csvLine(names, request.decimal);
    await writeLines(
      connection,
      path,
      { head: (request.bom ? '\uFEFF' : '') + head, end: '\r\n' },
      { sql: `select ${line} as line from (${rows}) r ${order}`, parameters },
    );
  }, ctx.signal);
}

/** Streams the only column of a query, line by line. */
async function writeLines(
  connection: DuckDBConnection,
  path: string,
  { head, end }: { head: string; end: string },
  { sql, parameters }: { sql: string; parameters: Record<string, DuckDBValue> },
): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.write(head);
    const result = await connection.stream(sql, parameters);
    for (;;) {
      const chunk = await result.fetchChunk();
      if (!chunk || chunk.rowCount === 0) break;
      await file.write(`${chunk.getColumnValues(0).join(end)}${end}`);
    }
  } finally {
    await file.close();
  }
}

async function writeRecords(
  ctx: QueryContext,
  path: string,
  request: ExportRequest,
): Promise<void> {
  const { table, query } = request;
  switch (table) {
    case 'orders':
    case 'exceptions':
      // One query sorts once; pages would each search all rows.
      return ctx.database.read(
        (connection) => writePages(path, orderRecords(connection, table, query)),
        ctx.signal,
      );
    case 'lines':
      return writePages(path, lineRecords(ctx, query));
    case 'cases':
      return writePages(path, allCases(ctx, query));
  }
}

async function writePages(path: string, pages: AsyncIterable<object[]>): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    for await (const page of pages) {
      // Other requests are answered during each write.
      for (let start = 0; start < page.length; start += ROWS_IN_A_TURN) {
        const rows = page.slice(start, start + ROWS_IN_A_TURN);
        await file.write(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      }
    }
  } finally {
    await file.close();
  }
}

/** Columns as stored, with times as UTC timestamps, for engines that read Parquet. */
async function writeParquet(
  ctx: QueryContext,
  path: string,
  request: ExportRequest,
): Promise<void> {
  const { rows, order, parameters } = rowsOf(request, ctx.clock.now());
  const times = [...momentsOf[request.table], ...(request.table === 'orders' ? ['recheck_at'] : [])]
    .map((name) => `make_timestamp(${name} * 1000) as ${name}`)
    .join(', ');
  await ctx.database.read(
    (connection) =>
      connection.run(
        `copy (select * replace (${times}) from (${rows}) r ${order})
        to '${path.replaceAll("'", "''")}' (format parquet, compression zstd, use_tmp_file false)`,
        parameters,
      ),
    ctx.signal,
  );
}

/** Selects and sorts the matching rows of a table. */
function rowsOf(
  request: ExportRequest,
  now: number,
): { rows: string; order: string; parameters: Record<string, DuckDBValue> } {
  switch (request.table) {
    case 'orders': {
      const { conditions, parameters, source } = statusConditions(request.query);
      return {
        rows: `select s.* exclude (judged, assumed), s.assumed as currency_assumed,
            coalesce(e.codes, '') as exceptions from ${source}
          left join (select order_key, currency, string_agg(code, ' ' order by code) as codes
            from order_exceptions group by all) e
            on e.order_key = s.order_key and e.currency = s.currency ${conditions}`,
        order: 'order by r.order_key, r.currency',
        parameters,
      };
    }
    case 'exceptions': {
      const { conditions, parameters, source } = statusConditions(request.query);
      const code = request.query.exception === undefined ? '' : 'where e.code = $exception';
      return {
        rows: `select e.* exclude (content_hash, assumed), e.assumed as currency_assumed from order_exceptions e
          semi join (select s.order_key, s.currency from ${source} ${conditions}) s
            on s.order_key = e.order_key and s.currency = e.currency ${code}`,
        order: 'order by r.order_key, r.currency, r.code',
        parameters,
      };
    }
    case 'lines':
      return linesOf(request.query);
    case 'cases': {
      const { state, code, currency, assignee, least, days } = request.query;
      const conditions: string[] = [];
      const parameters: Record<string, DuckDBValue> = {};
      for (const [name, value] of Object.entries({ state, code, currency, assignee })) {
        if (value === undefined) continue;
        conditions.push(`${name} = $${name}`);
        parameters[name] = value;
      }
      if (least !== undefined) conditions.push(`${SIZE} >= ${least}`);
      if (days !== undefined) conditions.push(`since <= ${now - days * DAY_MS}`);
      return {
        rows: `select * exclude (content_hash) rename (number as revision), ${IS_ASSUMED} as currency_assumed from cases
          ${conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`}`,
        order: 'order by r.id',
        parameters,
      };
    }
  }
}

/**
 * Lines of matching orders; includes those of unknown currency unless the filter names a currency.
 */
function linesOf({ from, to, ...query }: StatusFilter): ReturnType<typeof rowsOf> {
  const { conditions, parameters } = statusConditions(query);
  const isOfAll = conditions === '';
  const of = (alias: string) =>
    isOfAll
      ? ''
      : `semi join (select s.order_key, s.currency from order_statuses s ${conditions}) s
        on s.order_key = ${alias}.order_key and (s.currency = ${alias}.currency
          ${query.currency === undefined ? `or ${alias}.currency = ''` : ''})`;
  const within = (moment: string) =>
    [
      ...(from === undefined ? [] : [`${moment} >= ${from}`]),
      ...(to === undefined ? [] : [`${moment} < ${to}`]),
    ].map((condition) => ` and ${condition}`);
  return {
    rows: `
      select l.order_key, l.currency, 'ledger' as source, l.id, l.type, null as status, null as lender,
        l.amount, null::bigint as discount, null::bigint as net, l.occurred_at as at, l.transaction_id,
        l.merchant_transaction_id, null as lender_reference_id, null as product_type, null as promo_code,
        false as currency_assumed
      from ledger_lines l ${of('l')} where true ${within('l.occurred_at').join('')}
      union all
      select f.order_key, f.currency, 'funding', f.id, f.transaction_type, f.status, f.lender_name,
        f.transaction_amount, f.discount_amount, f.net_amount, f.funded_at, f.transaction_id,
        f.merchant_transaction_id, f.lender_reference_id, f.product_type, f.promo_code,
        ${isGuessed('f')}
      from fundings f ${of('f')} where f.problem is null ${within('f.funded_at').join('')}`,
    order: 'order by r.order_key, r.currency, r.source desc, r.id',
    parameters,
  };
}
