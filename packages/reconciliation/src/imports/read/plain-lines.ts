import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type DuckDBConnection, openDuckDB } from '../../platform/duckdb.ts';
import { sqlText } from '../../platform/temporary-files.ts';
import { LedgerImportError } from '../import-error.ts';
import { type FileRecord, MAX_RECORD } from './file-record.ts';
import { decoded, encodingOf } from './encoding.ts';
import { lineEndsOf } from './line-ends.ts';
import { PARQUET_OPTIONS, type PlainLines } from './plain.ts';
import { zoneOf } from './options.ts';
import { type PlainForm, plainQuery } from './plain-sql.ts';
import { type OpenedFile, openFile, type ReadFileRequest } from './read-file.ts';
import { continued, firstCharacters, formOf, type RecordForm, recordsOf } from './records.ts';
import { columnsDigest } from './tally.ts';

/** Number of initial records from which the form of a file's lines is inferred. */
const FIRST_RECORDS = 50;
/** If more than this fraction of the lines is not plain, the reader reads the whole file. */
const MOST_OTHERS = 0.25;
const MEMORY_LIMIT = '96MB';
/** Size of each file buffer in bytes. DuckDB holds several. */
const BUFFER_BYTES = 2_097_152;
/** A character that JSON and tables do not contain, so that each line is one value. */
const NO_DELIMITER = '\x1f';
const NO_VALUE = '\x1e';

/**
 * Reads a file's plain lines with SQL: those that need neither a message nor a note. Writes a row
 * for each line; rows for lines left to the reader contain only the number.
 * @returns undefined if the reader must read the whole file
 */
export async function readPlainLines(request: ReadFileRequest): Promise<PlainLines | undefined> {
  const { from: file, maxBytes, to } = request;
  const opened = await openFile(request);
  const { options, reading } = opened;
  const isText = opened.kind === undefined;
  if (!isText || encodingOf(new Uint8Array(), options.encoding) !== 'utf-8') return undefined;
  const beginning = await beginningOf(file, opened);
  if (beginning === undefined) return undefined;
  const { form, from, plainForm, records } = beginning;
  const query = plainQuery(plainForm, { from, reading, zone: zoneOf(options) });
  const ends = query === undefined ? undefined : await lineEndsOf(file);
  if (ends === undefined) return undefined;
  const isTable = form.kind === 'csv';
  // A quoted table value may contain line breaks.
  if (isTable && ends.quoted >= (records[0]?.line ?? 0)) return undefined;
  const { newline } = ends;
  const read = await inMemory(dirname(to), async (connection) => {
    await connection.run(
      `copy (
         with raw as (
           select row_number() over () as number, line
           from read_csv(${sqlText(file)}, columns = {'line': 'varchar'}, header = false,
             auto_detect = false, delim = '${NO_DELIMITER}', quote = '', escape = '', comment = '',
             nullstr = '${NO_VALUE}', new_line = '${newline === '\n' ? '\\n' : '\\r\\n'}',
             max_line_size = ${MAX_RECORD}, buffer_size = ${BUFFER_BYTES}, compression = 'none')
         )
         select * ${isTable ? '' : 'exclude (summed)'} from (${query})
       ) to ${sqlText(to)} ${PARQUET_OPTIONS}`,
    );
    return othersIn(connection, to, { from, isTable, count: ends.count });
  });
  if (read === undefined || (await stat(to)).size > maxBytes) return undefined;
  const [named] = records.filter(({ record }) => record !== undefined);
  return named && { columns: columnsDigest(named), form, newline, from, ...read };
}

interface Beginning {
  form: RecordForm;
  plainForm: PlainForm;
  /** Number of the first line that may be plain. */
  from: number;
  records: FileRecord[];
}

/** Reads a file's first records. Returns undefined if the reader has a message about them. */
async function beginningOf(
  file: string,
  { fileOptions, options }: OpenedFile,
): Promise<Beginning | undefined> {
  const text = decoded(createReadStream(file), options.encoding);
  const records: FileRecord[] = [];
  let form: RecordForm;
  try {
    const beginning = await firstCharacters(text);
    form = formOf(beginning, options.format, fileOptions);
    for await (const record of recordsOf(continued(beginning, text), form, fileOptions)) {
      records.push(record);
      if (records.length === FIRST_RECORDS) break;
    }
  } catch (error) {
    // The reader will report the error.
    if (!(error instanceof LedgerImportError)) throw error;
    return undefined;
  }
  if (form.kind === 'csv') {
    const [header] = records.flatMap(({ row }) => (row === undefined ? [] : [row.header]));
    const plainForm = header && { kind: form.kind, delimiter: form.delimiter, header };
    // The reader learns from the first rows how the others may be split.
    const from = (records.at(-1)?.line ?? 0) + 1;
    return plainForm && { form, plainForm, from, records };
  }
  if (form.kind !== 'ndjson') return undefined;
  const keys = records.map(({ record = {} }) => Object.keys(record));
  const most = keys.reduce((one, other) => (other.length > one.length ? other : one), []);
  return { form, plainForm: { kind: 'ndjson', keys: most }, from: 1, records };
}

/** Returns the lines for the reader; undefined if it must read the whole file. */
async function othersIn(
  connection: DuckDBConnection,
  file: string,
  { count: lines, from, isTable }: { count: number; from: number; isTable: boolean },
): Promise<Pick<PlainLines, 'above' | 'count' | 'others' | 'unnamed'> | undefined> {
  const rows = `read_parquet(${sqlText(file)})`;
  const counted = await connection.runAndReadAll(
    `select count(*), count(id), count(id) filter (
       where merchant_transaction_id is null and transaction_id is null) from ${rows}`,
  );
  const [all = 0, count = 0, unnamed = 0] = (counted.getRows()[0] ?? []).map(Number);
  const possible = all - from + 1;
  if (all !== lines || possible - count > MOST_OTHERS * possible) return undefined;
  // Without `order by`, the window processes rows in one pass and buffers none.
  const found = await connection.runAndReadAll(
    isTable
      ? `select number, count, amount from (
           select number, id, count(id) over above as count, sum(summed) over above as amount
           from ${rows} window above as (rows unbounded preceding))
         where id is null and number >= ${from} order by number`
      : `select number from ${rows} where id is null order by number`,
  );
  const above = found
    .getRows()
    .map(([, passed, amount]) => ({ count: Number(passed ?? 0), amount: Number(amount ?? 0) }));
  return { count, unnamed, others: found.getRows().map(([number]) => Number(number)), above };
}

/** DuckDB errors for a file that only the reader can read, or that does not fit in memory. */
const isForReader = /^(?:Invalid Input|Out of Memory) Error/;

/**
 * Runs statements in an in-memory database. Returns undefined if the file is not UTF-8 text, has too long
 * a line, or does not fit in memory.
 */
async function inMemory<Result>(
  folder: string,
  work: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result | undefined> {
  const { instance, connection } = await openDuckDB({
    memoryLimit: MEMORY_LIMIT,
    // One thread keeps the order of the lines.
    threads: 1,
    folders: [folder],
  });
  try {
    return await work(connection);
  } catch (error) {
    if (error instanceof Error && isForReader.test(error.message)) return undefined;
    throw error;
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
