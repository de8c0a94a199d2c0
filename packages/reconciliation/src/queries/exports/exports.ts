import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { appendToFile } from '@financing-checkout/kit/files';
import type { TemporaryFiles } from '../../platform/temporary-files.ts';
import { caseTerms } from '../cases/cases.ts';
import { writeCsv } from './export-csv.ts';
import { writeRecords } from './export-records.ts';
import { type ExportRequest, languageOf, rowsOf } from './export-rows.ts';
import { columnsOf } from './export-tables.ts';
import { hasShares } from '../orders/order-filter.ts';
import type { QueryContext } from '../basis/reliability.ts';
import { stream as streamRows } from '../basis/rows.ts';
import { sheetBytes } from './sheet-file.ts';

/** Bytes that a download reads at once: small reads would occupy the main thread. */
const READ_BYTES = 1_048_576;

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
    else if (request.format === 'csv') await writeCsvFile(ctx, path, request);
    else if (request.format === 'xlsx') await writeSheet(ctx, path, request);
    else await writeRecordsFile(ctx, path, request);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  const stream = createReadStream(path, { highWaterMark: READ_BYTES });
  stream.once('close', () => void rm(path, { force: true }));
  return stream;
}

async function writeCsvFile(
  ctx: QueryContext,
  path: string,
  request: ExportRequest,
): Promise<void> {
  const terms = caseTerms(ctx);
  const { now } = terms;
  await ctx.database.read(
    (connection) => writeCsv(connection, path, request, { now, ...rowsOf(request, terms) }),
    ctx.signal,
  );
}

async function writeSheet(ctx: QueryContext, path: string, request: ExportRequest): Promise<void> {
  const { table, zone } = request;
  const terms = caseTerms(ctx);
  const { now } = terms;
  const { rows, order, parameters } = rowsOf(request, terms);
  const hasShare = table === 'orders' && hasShares(request.query);
  const language = languageOf(request);
  const columns = columnsOf(table, { zone, now, hasShare, hasOffset: true, language });
  const values = columns.map(({ name, sql }) => `${sql} as ${name}`).join(', ');
  await ctx.database.read(async (connection) => {
    const pages = streamRows(connection, `select ${values} from (${rows}) r ${order}`, parameters);
    await appendToFile(path, sheetBytes({ name: table, columns, zone }, pages));
  }, ctx.signal);
}

async function writeRecordsFile(
  ctx: QueryContext,
  path: string,
  request: ExportRequest,
): Promise<void> {
  const terms = caseTerms(ctx);
  await ctx.database.read(
    (connection) => writeRecords(connection, path, request, terms),
    ctx.signal,
  );
}

/** Columns as stored, with times as UTC timestamps, for engines that read Parquet. */
async function writeParquet(
  ctx: QueryContext,
  path: string,
  request: ExportRequest,
): Promise<void> {
  const { rows, order, parameters } = rowsOf(request, caseTerms(ctx));
  const columns = columnsOf(request.table, {
    zone: request.zone,
    now: ctx.clock.now(),
    hasShare: false,
    hasOffset: false,
    language: languageOf(request),
  });
  const moments = columns.filter(({ kind }) => kind === 'moment').map(({ name }) => name);
  const times = [...moments, ...(request.table === 'orders' ? ['recheck_at'] : [])]
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
