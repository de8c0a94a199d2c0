import { CsvError, parse } from 'csv-parse';
import { LedgerImportError } from './columns.ts';
import { HEAD_WITHIN, HeadSearch } from './head.ts';
import type { FileOptions, FileRecord } from './records.ts';

/** Maximum characters of a record: a file without line ends must not fill the memory. */
export const MAX_RECORD = 65_536;

/** Reads CSV record by record, from the line after the head. @throws {LedgerImportError} */
export async function* csvRecords(
  text: AsyncIterable<string>,
  delimiter: string,
  { required, columns: read, proposal }: FileOptions,
): AsyncGenerator<FileRecord> {
  const lines = new LineCount();
  const search = new HeadSearch(required, read);
  const parser = parse({
    bom: true,
    delimiter,
    // Collects ragged lines with all other errors, instead of stopping at the first.
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD,
    // Within the parser: queued records are lost when a later one fails.
    on_record: (values, { empty_lines: empty }) => {
      lines.count(values, empty);
      return values;
    },
  });
  const fed = feed(parser, text);
  let columns: string[] | undefined;
  let above = 0;
  try {
    for await (const values of parser as AsyncIterable<string[]>) {
      const line = lines.of(values);
      if (!columns) {
        if (isSeparatorLine(values)) continue;
        columns = search.take(values, line);
        above += 1;
        if (!columns && above === HEAD_WITHIN) throw search.failure(proposal);
      }
      // Below a table, spreadsheets write rows of separators only.
      else if (values.some((value) => value.trim() !== '')) {
        yield csvRecord(columns, values, line, delimiter);
      }
    }
    await fed;
  } catch (error) {
    parser.destroy();
    if (!(error instanceof CsvError)) throw error;
    throw csvProblem(error, lines.next(parser.info.empty_lines));
  }
  if (!columns) throw search.failure(proposal);
}

/** Line numbers as in an editor: the parser counts CRLF within quotes as two lines. */
class LineCount {
  readonly #begun = new WeakMap<readonly string[], number>();
  #ended = 0;
  #empty = 0;

  /** Returns the first line of a counted record. */
  of(values: readonly string[]): number {
    return this.#begun.get(values) ?? this.#ended;
  }

  /** Takes the next record. @param empty number of lines without a record before it */
  count(values: readonly string[], empty: number): void {
    const line = this.next(empty);
    this.#begun.set(values, line);
    this.#empty = empty;
    this.#ended = line;
    for (const value of values) {
      if (/[\n\r]/.test(value)) this.#ended += value.split(/\r\n|\n|\r/).length - 1;
    }
  }

  /** Returns the first line of the next record. */
  next(empty: number): number {
    return this.#ended + empty - this.#empty + 1;
  }
}

/** Writes text into the parser at the speed of its reader. */
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
 * Returns the problem of a row with another number of cells than the head. Missing cells at the end
 * are undefined; additional ones must be empty. In a row that is too long, a comma within an amount like
 * 1,234.50 may have split it.
 */
function csvRecord(
  columns: readonly string[],
  values: readonly string[],
  line: number,
  delimiter: string,
): FileRecord {
  const isLonger = values.slice(columns.length).some((value) => value.trim() !== '');
  const isTorn =
    delimiter === ',' &&
    values.length > columns.length &&
    values.some(
      (value, at) => /\d$/.test(value) && /^\d{1,3}(?:\.\d*)?$/.test(values[at + 1] ?? ''),
    );
  if (isLonger || isTorn) {
    const message = `has ${values.length} values, the head has ${columns.length} columns`;
    return { line, record: undefined, problem: { code: 'columns-differ', message } };
  }
  const record = Object.fromEntries(columns.map((name, at) => [name, values[at]]));
  return { line, record, row: { cells: values, head: columns } };
}

/** `sep=;` above the head, by which Excel declares the separator. */
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

export function tooLong(line: number): LedgerImportError {
  return new LedgerImportError(`Line ${line} is longer than ${MAX_RECORD} characters.`);
}
