import type { LedgerField } from './columns.ts';
import type { NewLedgerLine } from './line.ts';
import type { LookAlike } from './look-alikes.ts';
import type { ImportAction } from './lines.ts';
import type { LeftOut } from './left-out.ts';
import type { LineNote } from './line-problem.ts';

/** Something wrong with a line; the message names columns and other lines, and no value. */
export interface ImportError {
  /** From 1; of a file that breaks off, undefined. */
  line: number | undefined;
  field?: LedgerField | undefined;
  code: string;
  message: string;
}

/** Rows that are left out for one reason. */
export interface LeftOutRows extends LeftOut {
  count: number;
  /** Numbers of the first of them. */
  lines: number[];
}

/** What was read otherwise than it is written, in one column. */
export interface ImportNote extends LineNote {
  count: number;
  /** Numbers of the first lines of them. */
  lines: number[];
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
  /** Rows that are left out: they are no lines to reconcile. */
  skipped: number;
  /** Why, and which ones. */
  leftOut: LeftOutRows[];
  /** What was read otherwise than it is written. */
  notes: ImportNote[];
  /** Words of the type column for which no type was said, if they are few. */
  unknownTypes: { word: string; count: number }[];
  /** Lines that say the same as one before, and have no id that tells them apart: each counts. */
  alike: number;
  /** Lines of the books that were, or would be, replaced. */
  replaced: number;
  /** Lines that may be lines of the books, written another way. */
  lookAlikeCount: number;
  /** The first of them. */
  lookAlikes: LookAlike[];
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
  leftOut: LeftOutRows[];
  notes: ImportNote[];
  unknownTypes: ImportReport['unknownTypes'];
  /** Lines that were understood. */
  read: number;
  /** Lines without an id. */
  unnamed: number;
  totals: ImportReport['totals'];
  errorCount: number;
  errors: ImportError[];
}

/** What the lines of a file are to the books. */
export interface Comparison {
  repeated: number;
  alike: number;
  /** Lines of the books that lines of the file replace. */
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
  /** Lines that took effect; undefined: none did. */
  applied?: number,
): ImportReport {
  const { read, errors, lines, skipped, leftOut, notes, unknownTypes, totals } = reading;
  const errorCount = reading.errorCount + conflictCount;
  const changed = errorCount > 0 ? 0 : (applied ?? read - comparison.repeated);
  const byLine = ({ line = Infinity }: ImportError) => line;
  return {
    ...{ lines, skipped, leftOut, notes, unknownTypes, totals },
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
