import type { Difference } from './correction.ts';
import type { ImportError } from './import-error.ts';
import type { NewLedgerLine } from './line.ts';
import type { LookAlike } from './look-alikes.ts';
import type { ImportAction } from './lines.ts';
import type { LeftOut } from './left-out.ts';
import type { LineNote } from './line-problem.ts';

/** Rows that are skipped for one reason. */
export interface LeftOutRows extends LeftOut {
  count: number;
  /** Line numbers of the first of these rows. */
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
  /** Time zone of dates without one, and of the days in the report. */
  zone: string;
  /** Number of lines in the file, excluding the header row. */
  lines: number;
  /** Number of lines that are added, or would be in a dry run. */
  added: number;
  /** Number of lines that are withdrawn, or would be in a dry run. */
  withdrawn: number;
  /** Number of lines that change nothing. */
  repeated: number;
  /** Number of rows that are skipped because they are not lines to reconcile. */
  skipped: number;
  /** Reasons for skipped rows, with line numbers. */
  leftOut: LeftOutRows[];
  /** Rows that are probably not ledger lines, for which the import requires a decision. */
  extraRows: LeftOutRows[];
  /** Rows and cells of a sheet that a person sees otherwise, for which the import requires a decision. */
  sheetCells: LeftOutRows[];
  /** Values that were converted. */
  notes: ImportNote[];
  /** Undeclared words in the type column, if there are few. */
  unknownTypes: { word: string; count: number }[];
  /** Lines that equal an earlier one and have no id to distinguish them: each is counted. */
  alike: number;
  /** Number of existing lines that are replaced, or would be in a dry run. */
  replaced: number;
  /** Lines that may duplicate existing ones in another form. */
  lookAlikeCount: number;
  /** The first such lines. */
  lookAlikes: LookAlike[];
  /**
   * How the file differs from earlier imports of the same source and period, unless it only adds
   * lines.
   */
  difference: Difference | undefined;
  /** Totals of all valid lines by currency and type, in minor units; repeated lines count once. */
  totals: { currency: string; type: NewLedgerLine['type']; count: number; amount: string }[];
  /** Lines of closed periods: they are adjustments in the open period. */
  closed: { period: string; lines: number }[];
  /** Total number of errors in all lines. */
  errorCount: number;
  /** The first distinct errors, by the first line with each. */
  errors: ImportError[];
}

/** Maximum number of distinct errors in a report. */
export const MAX_ERRORS = 1_000;
/** Number of line numbers to keep per report entry. */
export const MAX_LISTED = 20;

/** Result of reading a file, before comparison with the ledger. */
export interface FileReading {
  /** SHA-256 of the column names. */
  columns: string;
  /** Time zone of dates without one. */
  zone: string;
  lines: number;
  skipped: number;
  leftOut: LeftOutRows[];
  extraRows: LeftOutRows[];
  sheetCells: LeftOutRows[];
  notes: ImportNote[];
  unknownTypes: ImportReport['unknownTypes'];
  /** Number of valid lines. */
  read: number;
  /** Number of lines without an id. */
  unnamed: number;
  errorCount: number;
  errors: ImportError[];
}

/** Result of comparing the lines of a file with the ledger. */
export interface Comparison {
  difference: Difference | undefined;
  totals: ImportReport['totals'];
  closed: ImportReport['closed'];
  repeated: number;
  alike: number;
  /** Number of existing lines that lines of the file replace. */
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
  /** Lines that took effect; undefined if there are none. */
  applied?: number,
): ImportReport {
  const { read, errors, lines, skipped, leftOut, extraRows, sheetCells } = reading;
  const { notes, unknownTypes, zone } = reading;
  const errorCount = reading.errorCount + conflictCount;
  const changed = errorCount > 0 ? 0 : (applied ?? read - comparison.repeated);
  const byLine = ({ line = Infinity }: ImportError) => line;
  return {
    lines,
    skipped,
    leftOut,
    extraRows,
    sheetCells,
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
