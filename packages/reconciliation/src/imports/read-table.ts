import { createReadStream } from 'node:fs';
import { fileKindAdvice } from '@financing-checkout/contract/plain';
import { mainBeside, Thread } from '../platform/thread.ts';
import { LedgerImportError } from './columns.ts';
import { fileRecords } from './records.ts';
import { kindOf } from './read-file.ts';
import { Workbook } from './workbook.ts';

/** Format of a table, if it cannot be detected from the beginning of the file. */
export interface TableNotation {
  /** Sheet of a workbook: its name, or its number from 1. @default the only one */
  sheet?: string | undefined;
  /** CSV separator. @default from `sep=`, or the most frequent one in the header row */
  delimiter?: string | undefined;
  /** A label of the Encoding Standard. @default UTF-8; a byte order mark takes precedence */
  encoding?: string | undefined;
}

export interface TableRequest extends TableNotation {
  file: string;
  /** Columns that the header row must have. */
  columns: readonly string[];
  maxRows: number;
}

/** A row below the header row. */
export interface TableRow {
  /** Line number in the file, from 1, or row number in a sheet. */
  line: number;
  /** Cell texts by column. */
  cells: Readonly<Record<string, string>>;
  /** Reason why the cells cannot be read; the message follows the line number. */
  problem?: string;
}

/** The rows, or the message of a {@link LedgerImportError}. */
export type TableAnswer = { rows: TableRow[] } | { refusal: string };

/** Reads the rows of a CSV file or a workbook as text. */
export async function readTable(request: TableRequest): Promise<TableAnswer> {
  try {
    return { rows: await rowsOf(request) };
  } catch (error) {
    if (!(error instanceof LedgerImportError)) throw error;
    return { refusal: error.message };
  }
}

async function rowsOf(request: TableRequest): Promise<TableRow[]> {
  const { columns, delimiter, encoding, file, maxRows, sheet } = request;
  const kind = await kindOf(file);
  if (kind !== undefined && kind !== 'xlsx') throw new LedgerImportError(fileKindAdvice[kind]);
  const isWorkbook = kind === 'xlsx';
  const bytes = isWorkbook ? new Workbook(file).csv(sheet) : createReadStream(file);
  const records = fileRecords(bytes, 'csv', {
    columns,
    required: columns,
    amounts: isWorkbook ? undefined : [],
    delimiter: isWorkbook ? ',' : delimiter,
    encoding: isWorkbook ? undefined : encoding,
    proposal: `The columns ${columns.join(', ')} are needed: export the table again, and keep its head.`,
    unitsDeclared: true,
  });
  const rows: TableRow[] = [];
  for await (const { line, problem, row } of records) {
    if (rows.length === maxRows) {
      throw new LedgerImportError(
        `The file has more than ${maxRows} rows: remove those that you have not changed.`,
      );
    }
    const cells: Record<string, string> = {};
    row?.head.forEach((name, at) => (cells[name] = row.cells[at] ?? ''));
    rows.push({
      line,
      cells,
      ...(problem === undefined ? {} : { problem: problem.message }),
    });
  }
  return rows;
}

/**
 * Reads a table in a thread that ends afterward, because a small workbook can unpack to a large
 * size.
 * @throws {LedgerImportError} for a file that is not a table or lacks columns
 */
export async function readTableInThread(request: TableRequest): Promise<TableRow[]> {
  const thread = new Thread<TableRequest, TableAnswer>({
    name: 'table',
    main: mainBeside('table-main', import.meta.url),
    resourceLimits: {},
  });
  try {
    const answer = await thread.run(request);
    if ('refusal' in answer) throw new LedgerImportError(answer.refusal);
    return answer.rows;
  } finally {
    await thread.close();
  }
}
