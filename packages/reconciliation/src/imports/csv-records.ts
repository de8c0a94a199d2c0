import { CsvError, parse } from 'csv-parse';
import { LedgerImportError } from './columns.ts';
import { HEAD_WITHIN, HeadSearch } from './head.ts';
import type { FileOptions, FileRecord } from './records.ts';

/** Longest record, in characters: a file whose end of line is never found must not fill the memory. */
export const MAX_RECORD = 65_536;

/** Reads CSV record by record, from below the line that names its columns. @throws {LedgerImportError} */
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
    // Ragged lines are told with all else that is wrong, not one at a time.
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD,
    // Where it is parsed: records that wait to be read are lost when a later one cannot be.
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
      // Below its table a spreadsheet has rows of nothing but separators.
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

/** Numbers of lines as an editor shows them: for the parser CRLF between quotes is two lines. */
class LineCount {
  readonly #begun = new WeakMap<readonly string[], number>();
  #ended = 0;
  #empty = 0;

  /** The line in which a record that was counted begins. */
  of(values: readonly string[]): number {
    return this.#begun.get(values) ?? this.#ended;
  }

  /** Takes the next record. @param empty lines without a record until there */
  count(values: readonly string[], empty: number): void {
    const line = this.next(empty);
    this.#begun.set(values, line);
    this.#empty = empty;
    this.#ended = line;
    for (const value of values) {
      if (/[\n\r]/.test(value)) this.#ended += value.split(/\r\n|\n|\r/).length - 1;
    }
  }

  /** The line in which the next record begins. */
  next(empty: number): number {
    return this.#ended + empty - this.#empty + 1;
  }
}

/** Writes text into the parser as fast as it is read from there. */
async function feed(parser: ReturnType<typeof parse>, text: AsyncIterable<string>): Promise<void> {
  try {
    for await (const chunk of text) {
      if (parser.destroyed) return;
      if (!parser.write(chunk)) {
        await new Promise<void>((resolve) => {
          parser.once('drain', resolve);
          parser.once('close', resolve);
        });
      }
    }
    parser.end();
  } catch (error) {
    parser.destroy(error instanceof Error ? error : new Error('The file could not be read.'));
  }
}

/**
 * Cells that a row lacks at its end are empty; what it has beyond the head must be. Where a comma separates
 * values, a long row with two numbers side by side may have one in which a comma stands: 1,234.50.
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
  return { line, record: Object.fromEntries(columns.map((name, at) => [name, values[at] ?? ''])) };
}

/** `sep=;` above the head: what Excel is told, and writes, so that it knows the separator. */
function isSeparatorLine([word, rest, ...more]: readonly string[]): boolean {
  return word?.toLowerCase() === 'sep=' && rest === '' && more.length === 0;
}

function csvProblem({ code }: CsvError, line: number): LedgerImportError {
  if (code === 'CSV_MAX_RECORD_SIZE') return tooLong(line);
  return new LedgerImportError(
    code === 'CSV_QUOTE_NOT_CLOSED'
      ? `A quote that opens in line ${line} or after it is never closed.`
      : `Line ${line} cannot be read as CSV (${code}): check its quotes.`,
  );
}

export function tooLong(line: number): LedgerImportError {
  return new LedgerImportError(`Line ${line} is longer than ${MAX_RECORD} characters.`);
}
