import type { Difference } from './correction.ts';
import type { ImportError } from './import-error.ts';
import type { NewLedgerLine } from './line.ts';
import type { LookAlike } from './look-alikes.ts';
import type { ImportAction } from './lines.ts';
import type { LeftOut } from './left-out.ts';
import type { LineNote } from './line-problem.ts';

/** Rows that are left out for one reason. */
export interface LeftOutRows extends LeftOut {
  count: number;
  /** The first line numbers. */
  lines: number[];
}

/** Converted values of one column. */
export interface ImportNote extends LineNote {
  count: number;
  /** The first line numbers. */
  lines: number[];
  message: string;
}

export interface ImportReport {
  dryRun: boolean;
  /** Whether the import took effect: false for a dry run, and after any error. */
  applied: boolean;
  /** The zone of dates without one, and of the days in the report. */
  zone: string;
  /** Lines of the file, without its head. */
  lines: number;
  /** Lines that are added, or would be. */
  added: number;
  /** Lines that are withdrawn, or would be. */
  withdrawn: number;
  /** Lines without effect. */
  repeated: number;
  /** Rows that are left out, because they are not lines to reconcile. */
  skipped: number;
  /** Their reasons, with line numbers. */
  leftOut: LeftOutRows[];
  /** Rows that are probably no lines, about which the import asks. */
  extraRows: LeftOutRows[];
  /** Values that were converted. */
  notes: ImportNote[];
  /** Undeclared words of the type column, if they are few. */
  unknownTypes: { word: string; count: number }[];
  /** Lines equal to an earlier one, without an id to distinguish them: each counts. */
  alike: number;
  /** Existing lines that are replaced, or would be. */
  replaced: number;
  /** Lines that may duplicate existing ones in another form. */
  lookAlikeCount: number;
  /** The first of them. */
  lookAlikes: LookAlike[];
  /** How the file differs from earlier imports of its source and period, unless it only adds. */
  difference: Difference | undefined;
  /** By currency and type, in minor units, of all readable lines, each once. */
  totals: { currency: string; type: NewLedgerLine['type']; count: number; amount: string }[];
  /** Number of errors, in all lines. */
  errorCount: number;
  /** The first different errors, by their first lines. */
  errors: ImportError[];
}

/** Maximum number of different errors in a report. */
export const MAX_ERRORS = 1_000;
/** Line numbers to keep per entry of a report. */
export const MAX_LISTED = 20;

/** Result of reading a file, before the comparison with the ledger. */
export interface FileReading {
  /** SHA-256 of the names of the columns. */
  columns: string;
  /** The zone of dates without one. */
  zone: string;
  lines: number;
  skipped: number;
  leftOut: LeftOutRows[];
  extraRows: LeftOutRows[];
  notes: ImportNote[];
  unknownTypes: ImportReport['unknownTypes'];
  /** Readable lines. */
  read: number;
  /** Lines without an id. */
  unnamed: number;
  errorCount: number;
  errors: ImportError[];
}

/** Result of comparing the lines of a file with the ledger. */
export interface Comparison {
  difference: Difference | undefined;
  totals: ImportReport['totals'];
  repeated: number;
  alike: number;
  /** Existing lines that lines of the file replace. */
  replaced: number;
  lookAlikeCount: number;
  lookAlikes: LookAlike[];
  conflictCount: number;
  conflicts: ImportError[];
}

export function importReport(
  action: ImportAction,
  dryRun: boolean,
  reading: FileReading,
  { conflictCount, conflicts, ...comparison }: Comparison,
  /** Lines that took effect; undefined: none. */
  applied?: number,
): ImportReport {
  const { read, errors, lines, skipped, leftOut, extraRows, notes, unknownTypes, zone } = reading;
  const errorCount = reading.errorCount + conflictCount;
  const changed = errorCount > 0 ? 0 : (applied ?? read - comparison.repeated);
  const byLine = ({ line = Infinity }: ImportError) => line;
  return {
    lines,
    skipped,
    leftOut,
    extraRows,
    notes,
    unknownTypes,
    zone,
    dryRun,
    applied: applied !== undefined,
    added: action === 'add' ? changed : 0,
    withdrawn: action === 'withdraw' ? changed : 0,
    ...comparison,
    replaced: errorCount > 0 ? 0 : comparison.replaced,
    errorCount,
    errors: [...errors, ...conflicts]
      .sort((one, other) => byLine(one) - byLine(other))
      .slice(0, MAX_ERRORS),
  };
}
