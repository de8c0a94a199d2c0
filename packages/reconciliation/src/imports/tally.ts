import {
  type FileReading,
  type ImportError,
  type ImportNote,
  type ImportReport,
  type LeftOutRows,
  MAX_ERRORS,
} from './import-report.ts';
import type { LeftOut } from './left-out.ts';
import type { LineNote, LineProblem, ReadLineOptions } from './line-problem.ts';
import { isUnnamed, type NewLedgerLine } from './line.ts';
import { ColumnSigns } from './column-signs.ts';
import { readLine } from './read-line.ts';
import type { FileRecord } from './records.ts';

/** Line numbers to keep per entry. */
const MAX_LISTED = 20;
/** A column with more words is not a type column: it may contain names. */
const MAX_WORDS = 20;
const MAX_WORD = 40;

const noteTexts: Record<LineNote['code'], string> = {
  'id-folded': 'had invisible characters or spreadsheet text marks, which were removed',
  'float-digits':
    'had digits beyond floating-point precision and was rounded to 15 digits, such as 133.80000000000001 to 133.80',
};

/** Counts the results of reading a file. */
export class FileTally {
  #lines = 0;
  #skipped = 0;
  #read = 0;
  #unnamed = 0;
  #errorCount = 0;
  readonly #errors: ImportError[] = [];
  readonly #totals = new Map<string, { count: number; amount: bigint }>();
  readonly #leftOut = new Map<string, LeftOutRows>();
  readonly #notes = new Map<string, ImportNote>();
  readonly #words = new Map<string, number>();
  readonly #signs = new ColumnSigns();

  /** Returns the lines of a record: none if it is left out or has errors. */
  read(record: FileRecord, reading: ReadLineOptions): NewLedgerLine[] {
    this.#lines += 1;
    const { line: number } = record;
    if (!record.record) {
      this.error({ line: number, code: 'not-json', message: '', ...record.problem });
      return [];
    }
    const read = readLine(record.record, reading);
    if ('leftOut' in read) {
      this.#leave(read.leftOut, number);
      return [];
    }
    if ('problems' in read) {
      for (const problem of read.problems) this.#refuse(problem, number, reading);
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

  /** Takes the end of the file, after which the signs of its columns are known. */
  end(reading: ReadLineOptions): void {
    for (const { line, problem } of this.#signs.problems()) this.#refuse(problem, line, reading);
  }

  #refuse({ field, code, message }: LineProblem, line: number, reading: ReadLineOptions): void {
    const text = `${reading.mapping[field] ?? field} ${message}`;
    this.error({ line, field, code, message: text });
  }

  #leave(leftOut: LeftOut, line: number): void {
    this.#skipped += 1;
    const { reason, word } = leftOut;
    const isKnown = this.#leftOut.has(`${reason} ${word}`);
    // A column with many words is not a type column: the words are counted and not shown.
    const isShown = word !== undefined && word.length <= MAX_WORD && this.#leftOut.size < MAX_WORDS;
    const shown = isKnown || isShown ? leftOut : { reason };
    listed(this.#leftOut, `${shown.reason} ${shown.word}`, shown, line);
  }

  #add({ currency, type, amount, ...line }: NewLedgerLine): void {
    const key = `${currency} ${type}`;
    const total = this.#totals.get(key) ?? { count: 0, amount: 0n };
    this.#totals.set(key, { count: total.count + 1, amount: total.amount + BigInt(amount) });
    this.#read += 1;
    if (isUnnamed(line)) this.#unnamed += 1;
  }

  error(error: ImportError): void {
    this.#errorCount += 1;
    if (this.#errors.length < MAX_ERRORS) this.#errors.push(error);
  }

  result(): FileReading {
    return {
      lines: this.#lines,
      skipped: this.#skipped,
      leftOut: [...this.#leftOut.values()],
      notes: [...this.#notes.values()],
      unknownTypes: this.#unknownTypes(),
      read: this.#read,
      unnamed: this.#unnamed,
      totals: [...this.#totals].map(([key, { count, amount }]) => {
        const [currency = '', type] = key.split(' ');
        return {
          currency,
          type: type === 'Refund' ? ('Refund' as const) : ('Settle' as const),
          count,
          amount: String(amount),
        };
      }),
      errorCount: this.#errorCount,
      errors: this.#errors,
    };
  }

  #unknownTypes(): ImportReport['unknownTypes'] {
    const words = [...this.#words];
    if (words.length > MAX_WORDS || words.some(([word]) => word.length > MAX_WORD)) return [];
    return words
      .map(([word, count]) => ({ word, count }))
      .sort((one, other) => other.count - one.count);
  }
}

/** Increments the count of an entry. */
function listed<Listed extends object>(
  all: Map<string, Listed & { count: number; lines: number[] }>,
  key: string,
  what: Listed,
  line: number,
): void {
  const found = all.get(key) ?? { ...what, count: 0, lines: [] };
  found.count += 1;
  if (found.lines.length < MAX_LISTED) found.lines.push(line);
  all.set(key, found);
}
