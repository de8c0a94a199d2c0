import type { LedgerRecord } from './line-problem.ts';

/** One record of a file, or the error in its place. */
export interface FileRecord {
  /**
   * Its first line number, from 1. Several elements of a JSON array in one line get consecutive
   * numbers.
   */
  line: number;
  record: LedgerRecord | undefined;
  /** The row of a table, and its head. */
  row?: { cells: readonly string[]; head: readonly string[] } | undefined;
  /** The error of the record, without its content. */
  problem?: { code: string; message: string };
}

export interface FileOptions {
  /** Names of required and explicitly named columns. */
  required: readonly string[];
  /** Names of all columns of lines. */
  columns: readonly string[];
  /**
   * Names of the columns of amounts, which a comma without quotes may have split. The cells of a
   * sheet are apart. @default no row is searched for split amounts
   */
  amounts?: readonly string[] | undefined;
  /** A label of the Encoding Standard. @default UTF-8; a byte order mark takes precedence */
  encoding?: string | undefined;
  /**
   * Separator of CSV. @default from `sep=`, or the most frequent in the head: comma, semicolon, tab
   */
  delimiter?: string | undefined;
  /** Advice for a file without these columns, instead of naming them. */
  proposal?: string | undefined;
  /** Whether the unit of amounts was declared: CSV does not imply one. */
  unitsDeclared: boolean;
}
