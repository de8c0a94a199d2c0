import type { LedgerField } from './columns.ts';

/** An error in a line. The message names columns and other lines, and contains no value. */
export interface LineError {
  /** From 1; undefined for an error of the file. */
  line: number | undefined;
  field?: LedgerField | undefined;
  code: string;
  message: string;
}

/** An error that one or more lines have. */
export interface ImportError extends LineError {
  /** The first line that has it. */
  line: number | undefined;
  count: number;
  /** The first line numbers; none for an error of the file. */
  lines: number[];
}

/** Returns an entry for an error that the file has as a whole. */
export function fileError(code: string, message: string): ImportError {
  return { line: undefined, code, message, count: 1, lines: [] };
}
