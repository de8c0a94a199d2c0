import { CsvError, parse } from 'csv-parse';
import { LedgerImportError } from './columns.ts';
import { decoded } from './encoding.ts';
import { jsonElements } from './json-elements.ts';
import type { LedgerRecord } from './read-line.ts';

export type LedgerFormat = 'csv' | 'json' | 'ndjson';

/** One record of a file, or why there is none in its place. */
export interface FileRecord {
  /**
   * Number of the line it begins in, from 1. Of a JSON array with several in one line each has a number
   * of its own, counted on from there.
   */
  line: number;
  record: LedgerRecord | undefined;
  /** What is wrong with it as a record; never what is in it. */
  problem?: { code: string; message: string };
}

/** Longest record, in characters: a file whose end of line is never found must not fill the memory. */
const MAX_RECORD = 65_536;

export interface FileOptions {
  /** Names of columns without which no line could be read, or that somebody has named. */
  required: readonly string[];
  /** Names of all columns that lines are read from. */
  columns: readonly string[];
  /** A label of the Encoding Standard. @default UTF-8; where a file begins with a mark, that holds */
  encoding?: string | undefined;
  /** Between two values of CSV. @default told by `sep=`, or by what the head holds most: comma, semicolon, tab */
  delimiter?: string | undefined;
  /** Whether it was said what amounts are counted in: CSV does not say it itself. */
  unitsDeclared: boolean;
}

/**
 * Reads a file record by record; of a large one only a part is in memory.
 * @param format undefined: told by how the file begins
 * @throws {LedgerImportError} for a file that cannot be read to its end
 */
export async function* fileRecords(
  input: AsyncIterable<Uint8Array>,
  format: LedgerFormat | undefined,
  options: FileOptions,
): AsyncGenerator<FileRecord> {
  const text = decoded(input, options.encoding);
  const beginning = await firstCharacters(text);
  const whole = continued(beginning, text);
  const known = format ?? formatOf(beginning);
  if (known === 'csv' && !options.unitsDeclared) {
    // A wrong guess would be wrong by a factor of a hundred, in each line.
    throw new LedgerImportError(
      'Say what amounts are counted in: major units (12.34) or minor units (1234).',
    );
  }
  if (known === 'csv') yield* csvRecords(whole, beginning, options);
  else if (known === 'json') yield* jsonRecords(whole);
  else yield* ndjsonRecords(whole);
}

/** As much as tells what the file is: up to the end of its first line. */
async function firstCharacters(text: AsyncGenerator<string>): Promise<string> {
  let beginning = '';
  while (beginning.length < MAX_RECORD) {
    const next = await text.next();
    if (next.done === true) break;
    beginning += next.value;
    // A quantifier over a long line without an end would try each of its places.
    if (/[\n\r]/.test(beginning.trimStart())) break;
  }
  return beginning;
}

async function* continued(beginning: string, text: AsyncGenerator<string>): AsyncGenerator<string> {
  if (beginning !== '') yield beginning;
  yield* text;
}

function formatOf(beginning: string): LedgerFormat {
  const start = beginning.trimStart();
  if (start.startsWith('[')) return 'json';
  return start.startsWith('{') ? 'ndjson' : 'csv';
}

async function* ndjsonRecords(text: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  let line = 0;
  let rest = '';
  const one = (content: string): FileRecord | undefined => {
    line += 1;
    return content.trim() === '' ? undefined : jsonRecord(content, line);
  };
  for await (const chunk of text) {
    if (rest.length + chunk.indexOf('\n') > MAX_RECORD || rest.length > MAX_RECORD) {
      throw tooLong(line + 1);
    }
    if (!chunk.includes('\n')) {
      rest += chunk;
      continue;
    }
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const content of lines) {
      const record = one(content);
      if (record) yield record;
    }
  }
  if (rest.length > MAX_RECORD) throw tooLong(line + 1);
  const last = one(rest);
  if (last) yield last;
}

async function* jsonRecords(text: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  let before = 0;
  for await (const { line, content } of jsonElements(text, MAX_RECORD)) {
    before = Math.max(line, before + 1);
    yield jsonRecord(content, before);
  }
}

function jsonRecord(content: string, line: number): FileRecord {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    const problem = { code: 'not-json', message: 'is not JSON' };
    return { line, record: undefined, problem };
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return { line, record: value as LedgerRecord };
  }
  return { line, record: undefined, problem: { code: 'not-json', message: 'is no JSON object' } };
}

async function* csvRecords(
  text: AsyncIterable<string>,
  beginning: string,
  { delimiter = delimiterOf(beginning), ...options }: FileOptions,
): AsyncGenerator<FileRecord> {
  const lines = new LineCount();
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
  try {
    for await (const values of parser as AsyncIterable<string[]>) {
      const line = lines.of(values);
      if (!columns) {
        if (!isSeparatorLine(values)) columns = headOf(values, line, options);
      }
      // Below its table a spreadsheet has rows of nothing but separators.
      else if (values.some((value) => value.trim() !== '')) yield csvRecord(columns, values, line);
    }
    await fed;
  } catch (error) {
    parser.destroy();
    if (!(error instanceof CsvError)) throw error;
    throw csvProblem(error, lines.next(parser.info.empty_lines));
  }
  if (!columns) throw new LedgerImportError('The file is empty: the first line names its columns.');
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

function headOf(
  record: string[],
  line: number,
  { required, columns: read }: Pick<FileOptions, 'required' | 'columns'>,
): string[] {
  const columns = record.map((name) => name.trim());
  const missing = required.filter((name) => !columns.includes(name));
  if (missing.length > 0) {
    throw new LedgerImportError(
      `Line ${line} names no column ${missing.map((name) => `"${name}"`).join(', ')}: map the columns that are there, and take out what stands above them.`,
    );
  }
  const twice = read.filter((name) => columns.indexOf(name) !== columns.lastIndexOf(name));
  if (twice.length > 0) {
    throw new LedgerImportError(`Line ${line} names the column "${twice[0] ?? ''}" twice.`);
  }
  return columns;
}

function csvRecord(
  columns: readonly string[],
  values: readonly string[],
  line: number,
): FileRecord {
  if (values.length !== columns.length) {
    const message = `has ${values.length} values, the head has ${columns.length} columns`;
    return { line, record: undefined, problem: { code: 'columns-differ', message } };
  }
  return { line, record: Object.fromEntries(columns.map((name, at) => [name, values[at]])) };
}

function delimiterOf(beginning: string): string {
  const head = beginning.trimStart().split(/[\r\n]/, 1)[0] ?? '';
  const said = /^sep=(.)$/i.exec(head)?.[1];
  if (said !== undefined) return said;
  const count = (text: string) => head.split(text).length;
  return [',', ';', '\t'].reduce((best, text) => (count(text) > count(best) ? text : best));
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

function tooLong(line: number): LedgerImportError {
  return new LedgerImportError(`Line ${line} is longer than ${MAX_RECORD} characters.`);
}
