import { CsvError, parse } from 'csv-parse';
import { LedgerImportError } from '../import-error.ts';
import { HEADER_WITHIN, HeaderSearch } from './header-row.ts';
import { type FileOptions, type FileRecord, MAX_RECORD, tooLong } from './file-record.ts';
import type { SheetRow } from './workbook/sheet-row.ts';
import { SplitAmounts } from './split-amounts.ts';

/** Number of rows to inspect for a separator at the end of each row. */
const ROWS_AHEAD = 50;

/** A row of a text or a sheet. */
type Row = Pick<SheetRow, 'line' | 'values'> & Partial<SheetRow>;
/** A row below the header row. */
type TableRow = Row & {
  columns: readonly string[];
  /** Line number of the header row. */ header: number;
};

/** Reads CSV record by record, starting after the header row. @throws {LedgerImportError} */
export async function* csvRecords(
  text: AsyncIterable<string>,
  delimiter: string,
  options: FileOptions,
): AsyncGenerator<FileRecord> {
  let splits: SplitAmounts | undefined;
  const recordOf = (row: TableRow) => csvRecord(row, splits);
  const ahead: TableRow[] = [];
  let isAhead = true;
  try {
    for await (const row of rowsBelowHeader(csvRows(text, delimiter), options)) {
      if (isAhead) {
        if (delimiter === ',' && options.amounts) {
          splits ??= new SplitAmounts(row.columns, options.columns, options.amounts);
          splits.learn(row.values);
        }
        ahead.push(row);
        isAhead = ahead.length < ROWS_AHEAD;
        if (!isAhead) yield* ahead.splice(0).map(recordOf);
      } else yield recordOf(row);
    }
  } catch (error) {
    // These records are reported, too, although an error follows.
    yield* ahead.map(recordOf);
    throw error;
  }
  yield* ahead.map(recordOf);
}

/** Reads a sheet's rows below its header row. @throws {LedgerImportError} */
export async function* sheetRecords(
  rows: AsyncIterable<SheetRow>,
  options: FileOptions,
): AsyncGenerator<FileRecord> {
  for await (const row of rowsBelowHeader(rows, options)) {
    const { columns, header, isHidden = false, marks = new Map(), values } = row;
    // A row of a sheet ends at its last non-empty cell.
    const blank = Array.from({ length: Math.max(0, columns.length - values.length) }, () => '');
    const record = csvRecord({ ...row, values: [...values, ...blank] }, undefined);
    const isPlain = !isHidden && marks.size === 0;
    yield isPlain ? record : { ...record, sheet: { isHidden, marks, header } };
  }
}

async function* rowsBelowHeader(
  rows: AsyncIterable<Row>,
  { required, columns: read, proposal }: FileOptions,
): AsyncGenerator<TableRow> {
  const search = new HeaderSearch(required, read);
  let columns: string[] | undefined;
  let header = 0;
  let above = 0;
  for await (const row of rows) {
    const { line, marks, values } = row;
    if (!columns) {
      if (isSeparatorLine(values)) continue;
      columns = search.take(values, line);
      header = line;
      above += 1;
      if (!columns && above === HEADER_WITHIN) throw search.failure(proposal);
    }
    // Spreadsheets write rows that consist only of separators below a table.
    else if (values.some((value) => value.trim() !== '') || (marks?.size ?? 0) > 0) {
      yield { ...row, columns, header };
    }
  }
  if (!columns) throw search.failure(proposal);
}

async function* csvRows(text: AsyncIterable<string>, delimiter: string): AsyncGenerator<Row> {
  const lines = new LineCount();
  const parser = parse({
    bom: true,
    delimiter,
    // Collects rows with missing or extra cells along with all other errors, instead of stopping at
    // the first one.
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD,
    // Runs within the parser, because queued records are lost when a later one fails.
    on_record: (values, { empty_lines: empty }) => {
      lines.count(values, empty);
      return values;
    },
  });
  const fed = feed(parser, text);
  try {
    for await (const values of parser as AsyncIterable<string[]>) {
      yield { values, line: lines.of(values) };
    }
    await fed;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw csvProblem(error, lines.next(parser.info.empty_lines));
  } finally {
    parser.destroy();
  }
}

/** Line numbers as an editor shows them. The parser itself counts a quoted CRLF as two lines. */
class LineCount {
  readonly #begun = new WeakMap<readonly string[], number>();
  #ended = 0;
  #empty = 0;

  /** Returns the first line number of a record that has already been counted. */
  of(values: readonly string[]): number {
    return this.#begun.get(values) ?? this.#ended;
  }

  /** Counts the next record. @param empty number of lines without a record before it */
  count(values: readonly string[], empty: number): void {
    const line = this.next(empty);
    this.#begun.set(values, line);
    this.#empty = empty;
    this.#ended = line;
    for (const value of values) {
      if (/[\n\r]/.test(value)) this.#ended += value.split(/\r\n|\n|\r/).length - 1;
    }
  }

  /** Returns the first line number of the next record. */
  next(empty: number): number {
    return this.#ended + empty - this.#empty + 1;
  }
}

/** Writes text to the parser, respecting backpressure. */
async function feed(parser: ReturnType<typeof parse>, text: AsyncIterable<string>): Promise<void> {
  try {
    for await (const chunk of text) {
      if (parser.destroyed) return;
      if (!parser.write(chunk)) {
        const { promise, resolve } = Promise.withResolvers<undefined>();
        const go = () => resolve(undefined);
        parser.once('drain', go).once('close', go);
        await promise;
        parser.off('drain', go).off('close', go);
      }
    }
    parser.end();
  } catch (error) {
    parser.destroy(error instanceof Error ? error : new Error('The file could not be read.'));
  }
}

/**
 * Returns the problem with a row whose number of cells differs from the header row's. Missing cells
 * at the end are undefined. Extra cells must be empty and must not be the rest of a split amount.
 */
function csvRecord(
  { columns, values, line }: TableRow,
  splits: SplitAmounts | undefined,
): FileRecord {
  const isLonger = values.slice(columns.length).some((value) => value.trim() !== '');
  if (isLonger || (values.length > columns.length && splits?.includes(values) === true)) {
    const message = `has ${values.length} values, the header row has ${columns.length} columns`;
    const advice = splits === undefined ? '' : ': put values with a comma in quotes';
    return {
      line,
      record: undefined,
      problem: { code: 'columns-differ', message: message + advice },
    };
  }
  const record = Object.fromEntries(columns.map((name, at) => [name, values[at]]));
  return { line, record, row: { cells: values, header: columns } };
}

/** Matches `sep=;` above the header row, with which Excel declares the separator. */
function isSeparatorLine([word, rest, ...more]: readonly string[]): boolean {
  return word?.toLowerCase() === 'sep=' && rest === '' && more.length === 0;
}

function csvProblem({ code }: CsvError, line: number): LedgerImportError {
  if (code === 'CSV_MAX_RECORD_SIZE') return tooLong(line);
  return new LedgerImportError(
    code === 'CSV_QUOTE_NOT_CLOSED'
      ? `A quotation mark in or after line ${line} is never closed.`
      : `Line ${line} cannot be read as CSV (${code}): check its quotes.`,
  );
}
