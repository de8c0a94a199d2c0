import { LedgerImportError } from '../import-error.ts';
import { csvRecords } from './csv-records.ts';
import { type FileOptions, type FileRecord, MAX_RECORD, tooLong } from './file-record.ts';
import { decoded } from './encoding.ts';
import { delimiterOf, linesAbove } from './header-row.ts';
import { jsonElements } from './json-elements.ts';
import { repeatedKeys } from '../../platform/repeated-keys.ts';
import type { LedgerRecord } from './line-problem.ts';
import { ownLineOf } from './own-ndjson.ts';

export type LedgerFormat = 'csv' | 'json' | 'ndjson';

/** How the records of a file are separated. */
export type RecordForm =
  | { kind: 'csv'; delimiter: string; above: number }
  /** An array within an object. */
  | { kind: 'wrapped'; above: number }
  | { kind: 'json' | 'ndjson' };

/**
 * Reads a file record by record, without loading a large file entirely.
 * @param format undefined: detected from the beginning of the file
 * @throws {LedgerImportError} for a file that cannot be read to its end
 */
export async function* fileRecords(
  input: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  format: LedgerFormat | undefined,
  options: FileOptions,
): AsyncGenerator<FileRecord> {
  const text = decoded(input, options.encoding);
  const beginning = await firstCharacters(text);
  yield* recordsOf(continued(beginning, text), formOf(beginning, format, options), options);
}

/** Reads the records of a text whose form is known. */
export async function* recordsOf(
  text: AsyncIterable<string>,
  form: RecordForm,
  options: FileOptions,
): AsyncGenerator<FileRecord> {
  if (form.kind === 'csv') {
    yield* csvRecords(blanked(text, form.above), form.delimiter, options);
  } else if (form.kind === 'wrapped') {
    yield* jsonRecords(blanked(text, form.above), () => undefined);
  } else if (form.kind === 'json') yield* jsonRecords(text);
  else yield* ndjsonRecords(text);
}

/**
 * Detects a file's form from the beginning of its text.
 * @throws {LedgerImportError} if it is CSV without a declared unit
 */
export function formOf(
  beginning: string,
  format: LedgerFormat | undefined,
  options: FileOptions,
): RecordForm {
  const known = format ?? formatOf(beginning);
  if (known === 'csv') {
    requireUnits(options);
    const { delimiter = delimiterOf(beginning, options.required) } = options;
    return { kind: 'csv', delimiter, above: linesAbove(beginning, delimiter, options.required) };
  }
  if (format !== 'ndjson' && isWrapped(beginning, options.required)) {
    return { kind: 'wrapped', above: wrapper.exec(beginning)?.[0].length ?? 0 };
  }
  return { kind: known };
}

/** @throws {LedgerImportError} for a table without a declared unit */
export function requireUnits({ proposal, unitsDeclared }: FileOptions): void {
  if (unitsDeclared) return;
  // A wrong guess would change every amount by a factor of 100.
  const question = 'Set `units` to major (12.34) or minor (1234).';
  throw new LedgerImportError(proposal === undefined ? question : `${proposal} ${question}`);
}

/** Number of lines used to detect the format and the separator. */
const BEGINNING_LINES = 50;

/** Returns enough characters to detect the form. */
export async function firstCharacters(text: AsyncGenerator<string>): Promise<string> {
  let beginning = '';
  while (beginning.length < MAX_RECORD) {
    const next = await text.next();
    if (next.done === true) break;
    beginning += next.value;
    if (beginning.split(/[\n\r]/).length > BEGINNING_LINES) break;
  }
  return beginning;
}

/** Matches the properties before the first array of an object, as in `{"object": "list", "data": [`. */
const wrapper =
  /^\s*\{(?:\s*"(?:[^"\\]|\\.)*"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[-\w.+]+)\s*,)*\s*"(?:[^"\\]|\\.)*"\s*:\s*(?=\[)/;

/**
 * Returns whether the lines are in an array within an object; an object that has the columns is itself a line.
 */
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

/**
 * Replaces characters at the beginning with spaces, except line breaks, to preserve line numbers.
 */
async function* blanked(text: AsyncIterable<string>, count: number): AsyncGenerator<string> {
  let isFirst = true;
  for await (const chunk of text) {
    yield isFirst ? chunk.slice(0, count).replace(/[^\r\n]/g, '') + chunk.slice(count) : chunk;
    isFirst = false;
  }
}

/** Returns a text including its beginning, which was already read. */
export async function* continued(
  beginning: string,
  text: AsyncGenerator<string>,
): AsyncGenerator<string> {
  if (beginning !== '') yield beginning;
  yield* text;
}

/** Detects a file's format from the beginning of its text. */
export function formatOf(beginning: string): LedgerFormat {
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
    // JSON does not define which of the two values counts.
    const message = `has the key "${twice}" twice`;
    return { line, record: undefined, problem: { code: 'key-twice', message } };
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const record = value as LedgerRecord;
    return { line, record: ownLineOf(record) ?? record };
  }
  return {
    line,
    record: undefined,
    problem: { code: 'not-json', message: 'is not a JSON object' },
  };
}
