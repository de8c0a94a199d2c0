import { LedgerImportError } from '../import-error.ts';
import type { LedgerRecord } from './line-problem.ts';
import type { SheetRow } from './workbook/sheet-row.ts';

/** Maximum length of a record in characters: a file without line breaks must not exhaust memory. */
export const MAX_RECORD = 65_536;

export function tooLong(line: number): LedgerImportError {
  return new LedgerImportError(`Line ${line} is longer than ${MAX_RECORD} characters.`);
}

/** A record of a file, or the error in its place. */
export interface FileRecord {
  /**
   * The first line number of the record, from 1. Elements of a JSON array that share a line get
   * consecutive numbers.
   */
  line: number;
  record: LedgerRecord | undefined;
  /** The row of a table, and its header row. */
  row?: { cells: readonly string[]; header: readonly string[] } | undefined;
  /** Hidden and marked cells of a sheet's row, with the row number of the header row. */
  sheet?: (Pick<SheetRow, 'isHidden' | 'marks'> & { header: number }) | undefined;
  /** The record's error, without its content. */
  problem?: { code: string; message: string };
  /** Whether the row is a total of the rows below it. @default decided by the rows above it */
  isTotal?: boolean | undefined;
}

export interface FileOptions {
  /** Names of required and explicitly named columns. */
  required: readonly string[];
  /** Names of all columns that hold ledger fields. */
  columns: readonly string[];
  /**
   * Names of the amount columns, which an unquoted comma may have split. Cells of a sheet cannot be
   * split. @default no row is checked for split amounts
   */
  amounts?: readonly string[] | undefined;
  /** A label of the Encoding Standard. @default UTF-8; a byte order mark takes precedence */
  encoding?: string | undefined;
  /**
   * CSV separator. @default from `sep=`, or the most frequent one in the header row: comma,
   * semicolon, tab
   */
  delimiter?: string | undefined;
  /** Advice for a file that lacks these columns. Replaces the list of missing columns. */
  proposal?: string | undefined;
  /** Whether the unit of amounts was declared, because CSV does not imply one. */
  unitsDeclared: boolean;
}
