import type { LedgerImportField } from '@financing-checkout/contract/reconciliation';

/**
 * The mapping or file is unusable. The message says what to do and contains no value from the file.
 */
export class LedgerImportError extends Error {
  override readonly name = 'LedgerImportError';
}

/** Another import is running; only one runs at a time. */
export class ImportBusyError extends Error {
  override readonly name = 'ImportBusyError';
}

/** An error in a line. The message names columns and other lines and contains no values. */
export interface LineError {
  /** Line number, from 1; undefined for an error of the whole file. */
  line: number | undefined;
  field?: LedgerImportField | undefined;
  code: string;
  message: string;
}

/** An error that occurs in one or more lines. */
export interface ImportError extends LineError {
  line: number | undefined;
  count: number;
  /** The first line numbers; empty for an error of the whole file. */
  lines: number[];
}

/** Returns an error about the whole file. */
export function fileError(code: string, message: string): ImportError {
  return { line: undefined, code, message, count: 1, lines: [] };
}
