import { createReadStream } from 'node:fs';
import { type FileKind, fileKindAdvice } from '@financing-checkout/contract/plain';
import { LedgerImportError } from '../import-error.ts';
import { sheetRecords } from './csv-records.ts';
import type { FileRecord } from './file-record.ts';
import { fileRecords } from './records.ts';
import { kindOf } from './read-file.ts';
import { Workbook } from './workbook/workbook.ts';

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
  /** Why the cells cannot be read; the message follows the line number. */
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

/** Maximum characters in all cells, because many cells of a workbook may share one long text. */
const MAX_CHARACTERS = 16_777_216;

async function rowsOf(request: TableRequest): Promise<TableRow[]> {
  const kind = await kindOf(request.file);
  const workbook = kind === 'xlsx' ? new Workbook(request.file) : undefined;
  const { maxRows } = request;
  const rows: TableRow[] = [];
  let characters = 0;
  try {
    for await (const record of recordsOf(request, kind, workbook)) {
      const { line, problem, row } = record;
      if (rows.length === maxRows) {
        throw new LedgerImportError(
          `The file has more than ${maxRows} rows: remove those that you have not changed.`,
        );
      }
      const cells: Record<string, string> = {};
      row?.header.forEach((name, at) => {
        cells[name] = row.cells[at] ?? '';
        characters += row.cells[at]?.length ?? 0;
      });
      if (characters > MAX_CHARACTERS) {
        throw new LedgerImportError(
          `The cells of the file have more than ${MAX_CHARACTERS} characters: remove the rows that you have not changed.`,
        );
      }
      const message = problem?.message ?? unclearCell(record, request.columns);
      rows.push({ line, cells, ...(message === undefined ? {} : { problem: message }) });
    }
  } finally {
    await workbook?.close();
  }
  return rows;
}

function recordsOf(
  { columns, delimiter, encoding, file, sheet }: TableRequest,
  kind: FileKind | undefined,
  workbook: Workbook | undefined,
): AsyncGenerator<FileRecord> {
  if (kind !== undefined && kind !== 'xlsx') throw new LedgerImportError(fileKindAdvice[kind]);
  const options = {
    columns,
    required: columns,
    amounts: [],
    delimiter,
    encoding,
    proposal: `The columns ${columns.join(', ')} are needed: export the table again, and keep its header row.`,
    unitsDeclared: true,
  };
  return workbook
    ? sheetRecords(workbook.rows(sheet), options)
    : fileRecords(createReadStream(file), 'csv', options);
}

/** Returns the message about a cell whose displayed value differs from the stored one. */
function unclearCell({ row, sheet }: FileRecord, columns: readonly string[]): string | undefined {
  const unclear = ['merged', 'uncomputed', 'stale'];
  const found = [...(sheet?.marks ?? [])]
    .filter(([, { kind }]) => unclear.includes(kind))
    .map(([at]) => row?.header[at] ?? '')
    .find((name) => columns.includes(name));
  if (found === undefined) return undefined;
  return `has a merged cell, or a formula without a computed value, in the column ${found}: write the value itself into the cell`;
}
