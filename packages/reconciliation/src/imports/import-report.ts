import type { LedgerField } from './columns.ts';
import { isUnnamed, type NewLedgerLine } from './line.ts';
import type { ImportAction } from './lines.ts';
import { readLine, type ReadLineOptions } from './read-line.ts';
import type { FileRecord } from './records.ts';

/** Something wrong with a line; the message names columns and other lines, and no value. */
export interface ImportError {
  /** From 1; of a file that breaks off, undefined. */
  line: number | undefined;
  field?: LedgerField | undefined;
  code: string;
  message: string;
}

export interface ImportReport {
  dryRun: boolean;
  /** Whether it was carried out: false for a dry run, and when anything was wrong. */
  applied: boolean;
  /** Lines of the file, without its head. */
  lines: number;
  /** Lines that are, or would be, new in the books. */
  added: number;
  /** Lines that were, or would be, taken out of the books. */
  withdrawn: number;
  /** Lines that change nothing. */
  repeated: number;
  /** Lines whose type says that they are nothing to reconcile. */
  skipped: number;
  /** Lines that say the same as one before, and have no id that tells them apart: each counts. */
  alike: number;
  /** By currency and type, in minor units, of all lines that could be read. */
  totals: { currency: string; type: NewLedgerLine['type']; count: number; amount: string }[];
  /** How many things are wrong. */
  errorCount: number;
  /** The first of them, in the order of lines. */
  errors: ImportError[];
}

/** Errors that are kept: a file with the wrong mapping has one in each line. */
export const MAX_ERRORS = 1_000;

/** What was read of a file, before it is compared with the books. */
export interface FileReading {
  lines: number;
  skipped: number;
  /** Lines that were understood. */
  read: number;
  /** Lines without an id. */
  unnamed: number;
  totals: ImportReport['totals'];
  errorCount: number;
  errors: ImportError[];
}

/** Counts what is read of a file. */
export class FileTally {
  #lines = 0;
  #skipped = 0;
  #read = 0;
  #unnamed = 0;
  #errorCount = 0;
  readonly #errors: ImportError[] = [];
  readonly #totals = new Map<string, { count: number; amount: bigint }>();

  read(record: FileRecord, reading: ReadLineOptions): NewLedgerLine | undefined {
    this.#lines += 1;
    if (!record.record) {
      this.error({ line: record.line, code: 'not-json', message: '', ...record.problem });
      return undefined;
    }
    const read = readLine(record.record, reading);
    if (!read) {
      this.#skipped += 1;
      return undefined;
    }
    if ('problems' in read) {
      for (const { field, code, message } of read.problems) {
        const text = `${reading.mapping[field]} ${message}`;
        this.error({ line: record.line, field, code, message: text });
      }
      return undefined;
    }
    const { currency, type, amount } = read.line;
    const key = `${currency} ${type}`;
    const total = this.#totals.get(key) ?? { count: 0, amount: 0n };
    this.#totals.set(key, { count: total.count + 1, amount: total.amount + BigInt(amount) });
    this.#read += 1;
    if (isUnnamed(read.line)) this.#unnamed += 1;
    return read.line;
  }

  error(error: ImportError): void {
    this.#errorCount += 1;
    if (this.#errors.length < MAX_ERRORS) this.#errors.push(error);
  }

  result(): FileReading {
    return {
      lines: this.#lines,
      skipped: this.#skipped,
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
}

/** What the lines of a file are to the books. */
export interface Comparison {
  repeated: number;
  alike: number;
  conflictCount: number;
  conflicts: ImportError[];
}

export function importReport(
  action: ImportAction,
  dryRun: boolean,
  reading: FileReading,
  { repeated, alike, conflictCount, conflicts }: Comparison,
  /** Lines that took effect; undefined: none did. */
  applied?: number,
): ImportReport {
  const { read, unnamed: _, errors, ...counts } = reading;
  const errorCount = reading.errorCount + conflictCount;
  const changed = errorCount > 0 ? 0 : (applied ?? read - repeated);
  const byLine = ({ line = Infinity }: ImportError) => line;
  return {
    ...counts,
    dryRun,
    applied: applied !== undefined,
    added: action === 'add' ? changed : 0,
    withdrawn: action === 'withdraw' ? changed : 0,
    repeated,
    alike,
    errorCount,
    errors: [...errors, ...conflicts]
      .sort((one, other) => byLine(one) - byLine(other))
      .slice(0, MAX_ERRORS),
  };
}
