import type { LedgerImportRecord } from '@financing-checkout/contract/reconciliation';
import type { Reading } from './options.ts';
import { createHash } from 'node:crypto';
import type { ImportError, LedgerImportError, LineError } from '../import-error.ts';
import { type LeftOut, leftOutOf } from './left-out.ts';
import type { LineNote, LineProblem } from './line-problem.ts';
import { isUnnamed, type NewLedgerLine } from './line.ts';
import { netColumnOf } from './column-names.ts';
import { ColumnSigns } from './read-amount.ts';
import { readLine } from './read-line.ts';
import { RowFilter } from './row-filter.ts';
import { seenRow, withAdvice } from './sheet-cells.ts';
import type { FileRecord } from './file-record.ts';
import type { PlainLines } from './plain.ts';

/** Maximum number of distinct errors in a report. */
export const MAX_ERRORS = 1_000;
/** Number of line numbers to keep per report entry. */
export const MAX_LISTED = 20;

/** Result of reading a file, before comparison with the ledger. */
export interface FileReading extends Pick<
  LedgerImportRecord,
  | 'zone'
  | 'lines'
  | 'skipped'
  | 'leftOut'
  | 'extraRows'
  | 'sheetCells'
  | 'notes'
  | 'unknownTypes'
  | 'errorCount'
> {
  /** SHA-256 of the column names. */
  columns: string;
  /** Number of valid lines. */
  read: number;
  /** Number of lines without an id. */
  unnamed: number;
  errors: ImportError[];
}

/** Number of rows or lines with something in common, and the first line numbers. */
interface Counted {
  count: number;
  lines: number[];
}
type LeftOutRows = LeftOut & Counted;
type ImportNote = LineNote & Counted & { message: string };

/** A column with more distinct words is not a type column: it may contain names. */
const MAX_WORDS = 20;
const MAX_WORD = 40;

const noteTexts: Record<LineNote['code'], string> = {
  'id-folded': 'had invisible characters or spreadsheet text marks, which were removed',
  'float-digits':
    'had digits beyond floating-point precision and was rounded to 15 digits, such as 133.80000000000001 to 133.80',
};

/** Collects the results of reading a file. */
export class FileTally {
  #columns = '';
  #plain: PlainLines | undefined;
  /** Position of the next line for the reader. */
  #other = 0;
  #passed = { count: 0, amount: 0 };
  #lines = 0;
  #skipped = 0;
  #read = 0;
  #unnamed = 0;
  #errorCount = 0;
  readonly #errors = new Map<string, ImportError>();
  readonly #leftOut = new Map<string, LeftOutRows>();
  readonly #extraRows = new Map<string, LeftOutRows>();
  readonly #sheetCells = new Map<string, LeftOutRows>();
  readonly #rows = new RowFilter();
  readonly #notes = new Map<string, ImportNote>();
  readonly #words = new Map<string, number>();
  readonly #signs = new ColumnSigns();

  /** Returns a record's lines; none if it is skipped or has errors. */
  read(file: FileRecord, reading: Reading): NewLedgerLine[] {
    this.#lines += 1;
    const { line: number } = file;
    if (!file.record) {
      this.error({ line: number, code: 'not-json', message: '', ...file.problem });
      return [];
    }
    if (this.#columns === '') this.#columns = columnsDigest(file);
    if (file.sheet?.isHidden === true && reading.cells !== 'stored') {
      const row: LeftOut = { reason: 'hidden-row' };
      if (reading.cells === 'shown') this.#leave(row, number);
      else listed(this.#sheetCells, row.reason, row, number);
      return [];
    }
    const { asked, errors, isMerged, record } = seenRow(file, reading);
    for (const error of errors) this.error({ line: number, ...error });
    for (const one of asked) listed(this.#sheetCells, `${one.reason} ${one.word}`, one, number);
    if (asked.length + errors.length > 0) return [];
    const leftOut = leftOutOf(record.record ?? {}, reading);
    if (leftOut) {
      this.#leave(leftOut, number);
      return [];
    }
    const { record: values = {}, row: texts } = record;
    if (texts) this.#passPlain(number);
    const extra =
      texts &&
      reading.extraRows !== 'keep' &&
      (file.isTotal === true ? 'total' : this.#rows.take(texts.cells, texts.header, reading));
    // A blank part of a merged cell does not make its row a total or a title.
    if (extra && !isMerged) {
      const row: LeftOut = { reason: extra };
      if (reading.extraRows === 'skip') this.#leave(row, number);
      else listed(this.#extraRows, extra, row, number);
      return [];
    }
    const net = texts && netColumnOf(texts.header, reading.mapping.amount);
    const read = readLine(
      values,
      net === undefined
        ? reading
        : { ...reading, net: { column: net, text: texts?.cells[texts.header.indexOf(net)] ?? '' } },
    );
    if ('problems' in read) {
      for (const problem of read.problems) {
        this.#refuse(withAdvice(problem, record, reading), number, reading);
      }
      const { unknownType: word } = read;
      if (word !== undefined && this.#words.size <= MAX_WORDS) {
        this.#words.set(word, (this.#words.get(word) ?? 0) + 1);
      }
      return [];
    }
    for (const { field, code } of read.notes) {
      const message = `${reading.mapping[field] ?? field} ${noteTexts[code]}`;
      listed(this.#notes, `${field} ${code}`, { field, code, message }, number);
    }
    for (const sign of read.signs) this.#signs.take(sign, number);
    for (const line of read.lines) this.#add(line);
    return read.lines;
  }

  /** Counts a file's plain lines, which the reader skips. */
  takePlain(plain: PlainLines): void {
    const { columns, count, unnamed } = plain;
    this.#plain = plain;
    this.#columns = columns;
    this.#lines += count;
    this.#read += count;
    this.#unnamed += unnamed;
  }

  /** Handles the end of the file, where the signs of all columns are known. */
  end(reading: Reading): void {
    for (const { line, problem } of this.#signs.problems()) this.#refuse(problem, line, reading);
    this.#ask('sheet-cells', this.#sheetCells, (count) => {
      const rows = count === 1 ? 'one row or cell is' : `${count} rows or cells are`;
      return `${rows} shown otherwise than stored, such as hidden or merged: set \`cells\` to shown to read what the sheet shows, or stored to read all that the file has`;
    });
    this.#ask('extra-rows', this.#extraRows, (count) => {
      const isOne = count === 1;
      return `${isOne ? 'a row looks' : `${count} rows look`} like a repeated header row, a total or a title: set \`extra-rows\` to skip to leave ${isOne ? 'it' : 'them'} out, or keep to read ${isOne ? 'it as a line' : 'them as lines'}`;
    });
  }

  /** Refuses the file until the user decides what to do with these rows. */
  #ask(
    code: string,
    asked: ReadonlyMap<string, LeftOutRows>,
    messageOf: (count: number) => string,
  ): void {
    const rows = [...asked.values()];
    const count = rows.reduce((sum, row) => sum + row.count, 0);
    if (count === 0) return;
    const line = Math.min(...rows.flatMap(({ lines }) => lines));
    this.error({ line, code, message: messageOf(count) });
  }

  /** Adds the plain rows above a table row to the running sums. */
  #passPlain(number: number): void {
    const { above = [], others = [] } = this.#plain ?? {};
    while ((others[this.#other] ?? Infinity) < number) this.#other += 1;
    if (others[this.#other] !== number) return;
    const { count, amount } = above[this.#other] ?? this.#passed;
    this.#rows.pass(count - this.#passed.count, amount - this.#passed.amount);
    this.#passed = { count, amount };
  }

  #refuse({ field, code, message }: LineProblem, line: number, reading: Reading): void {
    const text = `${reading.mapping[field] ?? field} ${message}`;
    this.error({ line, field, code, message: text });
  }

  #leave(leftOut: LeftOut, line: number): void {
    this.#skipped += 1;
    const { reason, word } = leftOut;
    const isKnown = this.#leftOut.has(`${reason} ${word}`);
    // A column with many distinct words is not a type column: its words are counted but not shown.
    const isShown = word !== undefined && word.length <= MAX_WORD && this.#leftOut.size < MAX_WORDS;
    const shown = isKnown || isShown ? leftOut : { reason };
    listed(this.#leftOut, `${shown.reason} ${shown.word}`, shown, line);
  }

  #add(line: NewLedgerLine): void {
    this.#read += 1;
    if (isUnnamed(line)) this.#unnamed += 1;
  }

  error(error: LineError): void {
    this.#errorCount += 1;
    const key = `${error.field} ${error.code} ${error.message}`;
    if (this.#errors.size < MAX_ERRORS || this.#errors.has(key)) {
      listed(this.#errors, key, error, error.line);
    }
  }

  result(zone: string): FileReading {
    return {
      zone,
      columns: this.#columns,
      lines: this.#lines,
      skipped: this.#skipped,
      leftOut: [...this.#leftOut.values()],
      extraRows: [...this.#extraRows.values()],
      sheetCells: [...this.#sheetCells.values()],
      notes: [...this.#notes.values()],
      unknownTypes: this.#unknownTypes(),
      read: this.#read,
      unnamed: this.#unnamed,
      errorCount: this.#errorCount,
      errors: [...this.#errors.values()],
    };
  }

  #unknownTypes(): LedgerImportRecord['unknownTypes'] {
    const words = [...this.#words];
    if (words.length > MAX_WORDS || words.some(([word]) => word.length > MAX_WORD)) return [];
    return words
      .map(([word, count]) => ({ word, count }))
      .sort((one, other) => other.count - one.count);
  }
}

/** Returns the result for a file that cannot be read at all. */
export function unreadableFile({ message }: LedgerImportError, zone: string): FileReading {
  const tally = new FileTally();
  tally.error({ line: undefined, code: 'file-unreadable', message });
  return tally.result(zone);
}

/** Returns the SHA-256 of a record's column names. */
export function columnsDigest({ record = {}, row }: FileRecord): string {
  const names = row?.header ?? Object.keys(record).toSorted();
  return createHash('sha256').update(names.join('\n')).digest('hex');
}

/** Increments the count of an entry. */
function listed<Listed extends object>(
  all: Map<string, Listed & Counted>,
  key: string,
  what: Listed,
  line: number | undefined,
): void {
  const found = all.get(key) ?? { ...what, count: 0, lines: [] };
  found.count += 1;
  if (line !== undefined && found.lines.length < MAX_LISTED) found.lines.push(line);
  all.set(key, found);
}
