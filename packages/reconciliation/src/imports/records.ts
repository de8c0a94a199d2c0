import { LedgerImportError } from './columns.ts';
import { csvRecords, MAX_RECORD, tooLong } from './csv-records.ts';
import { decoded } from './encoding.ts';
import { delimiterOf, linesAbove } from './head.ts';
import { jsonElements } from './json-elements.ts';
import { repeatedKeys } from '../platform/repeated-keys.ts';
import type { LedgerRecord } from './line-problem.ts';

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

export interface FileOptions {
  /** Names of columns without which no line could be read, or that somebody has named. */
  required: readonly string[];
  /** Names of all columns that lines are read from. */
  columns: readonly string[];
  /** A label of the Encoding Standard. @default UTF-8; where a file begins with a mark, that holds */
  encoding?: string | undefined;
  /** Between two values of CSV. @default told by `sep=`, or by what the head holds most: comma, semicolon, tab */
  delimiter?: string | undefined;
  /** What to say of a file without these columns, in place of how to name them. */
  proposal?: string | undefined;
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
    const question = 'Say what amounts are counted in: major units (12.34) or minor units (1234).';
    throw new LedgerImportError(
      options.proposal === undefined ? question : `${options.proposal} ${question}`,
    );
  }
  if (known === 'csv') {
    const { delimiter = delimiterOf(beginning, options.required) } = options;
    const above = linesAbove(beginning, delimiter, options.required);
    yield* csvRecords(blanked(whole, above), delimiter, options);
  } else if (format !== 'ndjson' && isWrapped(beginning, options.required)) {
    const above = wrapper.exec(beginning)?.[0].length ?? 0;
    yield* jsonRecords(blanked(whole, above), () => undefined);
  } else if (known === 'json') yield* jsonRecords(whole);
  else yield* ndjsonRecords(whole);
}

/** Lines that tell what a file is, and what separates its values. */
const BEGINNING_LINES = 50;

/** As much as tells what the file is. */
async function firstCharacters(text: AsyncGenerator<string>): Promise<string> {
  let beginning = '';
  while (beginning.length < MAX_RECORD) {
    const next = await text.next();
    if (next.done === true) break;
    beginning += next.value;
    if (beginning.split(/[\n\r]/).length > BEGINNING_LINES) break;
  }
  return beginning;
}

/** Values of keys before the first list of an object, as `{"object": "list", "data": [`. */
const wrapper =
  /^\s*\{(?:\s*"(?:[^"\\]|\\.)*"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[-\w.+]+)\s*,)*\s*"(?:[^"\\]|\\.)*"\s*:\s*(?=\[)/;

/** Whether the lines are a list in an object; an object that has the columns itself is a line. */
function isWrapped(beginning: string, required: readonly string[]): boolean {
  if (!wrapper.test(beginning)) return false;
  try {
    const first: unknown = JSON.parse(beginning.trimStart().split('\n', 1)[0] ?? '');
    return !(
      typeof first === 'object' &&
      first !== null &&
      required.every((name) => Object.hasOwn(first, name))
    );
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return true;
  }
}

/** Blanks as many characters at the beginning, all but ends of lines: so lines keep their numbers. */
async function* blanked(text: AsyncIterable<string>, count: number): AsyncGenerator<string> {
  let isFirst = true;
  for await (const chunk of text) {
    yield isFirst ? chunk.slice(0, count).replace(/[^\r\n]/g, '') + chunk.slice(count) : chunk;
    isFirst = false;
  }
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

async function* jsonRecords(
  text: AsyncIterable<string>,
  onRest?: () => void,
): AsyncGenerator<FileRecord> {
  let before = 0;
  for await (const { line, content } of jsonElements(text, MAX_RECORD, onRest)) {
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
  const twice = repeatedKeys(content)[0]?.path.at(-1);
  if (twice !== undefined) {
    // Which of the two counts is not said.
    const message = `has the key "${twice}" twice`;
    return { line, record: undefined, problem: { code: 'key-twice', message } };
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return { line, record: value as LedgerRecord };
  }
  return { line, record: undefined, problem: { code: 'not-json', message: 'is no JSON object' } };
}
