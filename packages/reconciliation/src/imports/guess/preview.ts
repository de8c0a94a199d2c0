import { type CsvError, parse } from 'csv-parse/sync';
import type {
  LedgerOptions,
  LedgerPreset,
  LedgerPreview,
} from '@financing-checkout/contract/reconciliation';
import { fileKindAdvice, fileKindOf, openQuestions } from '@financing-checkout/contract/plain';
import {
  beginningOfSheet,
  decoded,
  delimiterOf,
  encodingOf,
  fileRecords,
  formatOf,
  HEADER_WITHIN,
  kindOf,
  type LedgerField,
  ledgerFieldNames,
  ledgerFields,
  type LedgerImportOptions,
  mappingOf,
  MAX_RECORD,
  ofWorkbook,
  PREVIEW_ROWS,
  proposedColumns,
  recognized,
  withPreset,
  Workbook,
} from '../read/index.ts';
import { columnReading } from './column-reading.ts';
import { LedgerImportError } from '../import-error.ts';

/**
 * Limits the cells in a response together with {@link PREVIEW_ROWS}, because short rows are padded
 * to the width of the header row.
 */
const MAX_COLUMNS = 1_000;
const SEND_WHOLE =
  'This is an Excel workbook (.xlsx): send it whole to `POST /ledger/preview/workbook`.';
const NO_WORKBOOK = 'This is no .xlsx: send the first bytes of a text to `POST /ledger/preview`.';

export interface PreviewJob {
  /** A text file's first bytes, whose last record may be truncated, or the path of a workbook. */
  file: Uint8Array | string;
  options: LedgerImportOptions;
  /** The preset selected by the user. */
  preset: LedgerPreset | undefined;
  /** Numbers of the sheet rows whose cells to return. */
  rows?: readonly number[] | undefined;
}

/** A preview, or the message of a {@link LedgerImportError}. */
export type PreviewAnswer = { preview: LedgerPreview } | { refusal: string };

/**
 * Previews a file. Returns a file error as part of the answer, because class instances cannot be
 * sent between threads.
 */
export async function answerPreview({
  file,
  options,
  preset,
  rows,
}: PreviewJob): Promise<PreviewAnswer> {
  try {
    const preview =
      typeof file === 'string'
        ? await previewWorkbook(file, options, preset, rows)
        : await previewLedger(file, options, preset);
    return { preview };
  } catch (error) {
    if (!(error instanceof LedgerImportError)) throw error;
    return { refusal: error.message };
  }
}

/**
 * Reads the beginning of a ledger file so that its columns can be mapped: suggests a preset, finds
 * the header row, and returns the first rows unchanged. Does not validate values.
 * @param bytes the first bytes of the file; the last record may be truncated
 * @param preset selected by the user @default the detected one
 * @throws {LedgerImportError} for a text that cannot be read, or unusable options
 */
export async function previewLedger(
  bytes: Uint8Array,
  said: LedgerImportOptions,
  preset?: LedgerPreset,
): Promise<LedgerPreview> {
  const kind = fileKindOf(bytes);
  if (kind === 'xlsx') throw new LedgerImportError(SEND_WHOLE);
  if (kind !== undefined) throw new LedgerImportError(fileKindAdvice[kind]);
  const { encoding, text } = await textOf(bytes, said.encoding);
  const preview = await previewText(text, said, preset);
  return { ...preview, proposal: { ...preview.proposal, encoding } };
}

/**
 * Previews the beginning of a sheet, as {@link previewLedger} does for a text, and lists the hidden
 * parts of the whole sheet. The result has no columns if the user must first choose one of several
 * sheets.
 * @param file the complete workbook
 * @param wanted numbers of the rows whose cells the preview contains
 * @throws {LedgerImportError}
 */
export async function previewWorkbook(
  file: string,
  said: LedgerImportOptions,
  preset?: LedgerPreset,
  wanted: readonly number[] = [],
): Promise<LedgerPreview> {
  const kind = await kindOf(file);
  if (kind !== 'xlsx') {
    throw new LedgerImportError(kind === undefined ? NO_WORKBOOK : fileKindAdvice[kind]);
  }
  const workbook = new Workbook(file);
  try {
    return await previewSheet(workbook, said, preset, wanted);
  } finally {
    await workbook.close();
  }
}

async function previewSheet(
  workbook: Workbook,
  said: LedgerImportOptions,
  preset: LedgerPreset | undefined,
  wanted: readonly number[],
): Promise<LedgerPreview> {
  const listed = await workbook.sheets();
  if (listed.length === 0) throw new LedgerImportError('No sheet of the workbook has content.');
  const sheets = listed.map(({ name }) => name);
  const [only, ...others] = listed;
  const isClear = others.length === 0 && only?.isHidden === false;
  const sheet = said.sheet ?? (isClear ? only.name : undefined);
  const unseen = await workbook.unseen(sheet);
  const about = { sheets, ...(unseen.length > 0 && { unseen }) };
  if (sheet === undefined) {
    const table = { columns: [], readings: [], rows: [], known: [], proposal: {} };
    return { ...table, questions: ['sheet'], format: 'csv', ...about };
  }
  const text = await beginningOfSheet(workbook.rows(sheet));
  const preview = await previewText(text, ofWorkbook(said), preset);
  const proposal = { ...preview.proposal, sheet, delimiter: undefined };
  const cells = wanted.length === 0 ? undefined : await cellsOf(workbook, sheet, wanted);
  return { ...preview, proposal, ...about, ...(cells && { cells }) };
}

/** Returns the cells of the given rows of a sheet. */
async function cellsOf(
  workbook: Workbook,
  sheet: string,
  wanted: readonly number[],
): Promise<NonNullable<LedgerPreview['cells']>> {
  const last = Math.max(...wanted);
  const found: { row: number; values: string[] }[] = [];
  for await (const { line, values } of workbook.rows(sheet)) {
    if (line > last) break;
    if (wanted.includes(line)) found.push({ row: line, values });
  }
  return found;
}

async function previewText(
  text: string,
  said: LedgerImportOptions,
  preset: LedgerPreset | undefined,
): Promise<LedgerPreview> {
  // The user may have declined the preset.
  const known = said.preset === '' ? undefined : recognized(text);
  const chosen = preset ?? known?.preset;
  const options = chosen === undefined ? said : withPreset(said, chosen);
  const named = Object.values(options.map ?? {});
  const format = options.format ?? formatOf(text);
  const delimiter = options.delimiter ?? delimiterOf(text, [...(chosen?.header ?? []), ...named]);
  const { columns, rows } =
    format === 'csv'
      ? csvTable(text, delimiter, [...(chosen?.header ?? []), ...named])
      : await jsonTable(text, format);
  if (columns.length > MAX_COLUMNS) {
    throw new LedgerImportError(
      `The file has ${columns.length} columns, more than ${MAX_COLUMNS}: check the separator, or remove columns.`,
    );
  }
  const map = mappingIn(columns, options.map, chosen === undefined);
  const readings = columns.map((_, at) => columnReading(rows.map((row) => row[at] ?? '')));
  const isOpen = chosen === undefined && format === 'csv';
  const table = {
    known: chosen === undefined ? [] : Object.keys(chosen),
    format,
    columns,
    readings: isOpen ? readings : readings.map(({ asks }) => ({ asks })),
    rows: rows.map((row) => columns.map((_, at) => row[at] ?? '')),
  };
  const proposal = {
    preset: said.preset ?? known?.name,
    delimiter: format === 'csv' ? delimiter : undefined,
    map,
    ...(isOpen && notationOf(said, map, table)),
  };
  return { ...table, proposal, questions: openQuestions(table, { ...said, ...proposal }) };
}

/**
 * Decodes the bytes, falling back to Windows-1252 if they are not valid UTF-8 and the user did not
 * specify an encoding.
 */
async function textOf(
  bytes: Uint8Array,
  named: string | undefined,
): Promise<{ encoding: string; text: string }> {
  const read = async (encoding: string | undefined) => {
    let text = '';
    const pieces = decoded([bytes], encoding);
    try {
      for await (const piece of pieces) text += piece;
    } catch (error) {
      // The last character may be truncated; any other error occurs before the first chunk is
      // returned.
      if (!(error instanceof LedgerImportError) || text === '') throw error;
    }
    return { encoding: encodingOf(bytes, encoding), text: text.replace(/^\uFEFF/, '') };
  };
  if (named !== undefined) return read(named);
  return read(undefined).catch((error: unknown) => {
    if (error instanceof LedgerImportError) return read('windows-1252');
    throw error;
  });
}

interface Table {
  columns: string[];
  rows: string[][];
}

function csvTable(text: string, delimiter: string, sought: readonly string[]): Table {
  let records: string[][];
  try {
    records = parse(text, {
      delimiter,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: MAX_RECORD,
      to: HEADER_WITHIN + PREVIEW_ROWS + 1,
    });
  } catch (error) {
    const { code = 'unknown' } = error as Partial<CsvError>;
    throw new LedgerImportError(`The file cannot be read as CSV (${code}): check its quotes.`);
  }
  const trimmed = records
    .map((values) => values.map((value) => value.trim()))
    .filter(([first = '', ...rest]) => !/^sep=/i.test(first) && [first, ...rest].some(Boolean));
  const header = headerRowOf(trimmed.slice(0, HEADER_WITHIN), sought);
  const columns = trimmed[header] ?? [];
  return { columns, rows: trimmed.slice(header + 1, header + 1 + PREVIEW_ROWS) };
}

/** A single field name may also be a value, such as a table's title. */
const MIN_NAMES = 2;

/**
 * Returns the line with the most sought names, or else with the most usual field names. Among
 * equals, the first line with the most values wins.
 */
function headerRowOf(lines: readonly string[][], sought: readonly string[]): number {
  const ranks = lines.map((line) => {
    const wanted = sought.filter((name) => line.includes(name)).length;
    const usual = sought.length === 0 ? Object.keys(proposedColumns(line)).length : 0;
    return (wanted + (usual < MIN_NAMES ? 0 : usual)) * 10_000 + line.filter(Boolean).length;
  });
  return Math.max(0, ranks.indexOf(Math.max(...ranks)));
}

async function jsonTable(text: string, format: 'json' | 'ndjson'): Promise<Table> {
  const input = [new TextEncoder().encode(text)];
  const found: Record<string, unknown>[] = [];
  try {
    const reading = { required: [], columns: [], unitsDeclared: true };
    for await (const { record } of fileRecords(input, format, reading)) {
      if (record !== undefined) found.push(record);
      if (found.length === PREVIEW_ROWS) break;
    }
  } catch (error) {
    // The last element may be truncated.
    if (!(error instanceof LedgerImportError) || found.length === 0) throw error;
  }
  const columns = [...new Set(found.flatMap((record) => Object.keys(record)))];
  // Above the limit, the preview is refused.
  if (columns.length > MAX_COLUMNS) return { columns, rows: [] };
  const written = (value: unknown) =>
    typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
  return { columns, rows: found.map((record) => columns.map((name) => written(record[name]))) };
}

/** Returns the stated notation, or the one inferred from the amount, date and type columns. */
function notationOf(
  said: LedgerOptions,
  map: NonNullable<LedgerOptions['map']>,
  { columns, readings }: Pick<LedgerPreview, 'columns' | 'readings'>,
): Pick<LedgerOptions, 'units' | 'decimal' | 'dates' | 'types'> {
  const of = (field: LedgerField) => readings[columns.indexOf(map[field] ?? '')];
  const amounts = (['amount', 'settled', 'refunded'] as const).map(of);
  return {
    units: said.units ?? amounts.find((one) => one?.units)?.units,
    decimal: said.decimal ?? amounts.find((one) => one?.decimal)?.decimal,
    dates: said.dates ?? of('date')?.dates,
    types: said.types ?? of('type')?.types,
  };
}

/**
 * Returns the file's columns by ledger field.
 * @param mayPropose whether to also propose columns by their usual names
 */
function mappingIn(
  columns: readonly string[],
  named: LedgerImportOptions['map'] = {},
  mayPropose: boolean,
): NonNullable<LedgerOptions['map']> {
  const mapping = mappingOf(named);
  const byName = new Map(columns.map((name) => [name.toLowerCase(), name]));
  const columnOf = (field: LedgerField): string | undefined => {
    const name = mapping[field];
    if (name === undefined) return undefined;
    if (columns.includes(name)) return name;
    // A default name in a different spelling is only a suggestion.
    return name === ledgerFields[field] ? byName.get(name.toLowerCase()) : undefined;
  };
  const found = Object.fromEntries(
    ledgerFieldNames.flatMap((field) => {
      const column = columnOf(field);
      return column === undefined ? [] : [[field, column]];
    }),
  );
  if (!mayPropose) return found;
  // A column can have only one field, and options determine the amount fields.
  const taken = new Set(Object.values(found));
  const rest = columns.filter((name) => !taken.has(name));
  const hasNamedAmount = ['amount', 'settled', 'refunded'].some((field) => field in found);
  const proposed = Object.entries(proposedColumns(rest)).filter(
    ([field]) =>
      !(field in found) && !(hasNamedAmount && ['amount', 'settled', 'refunded'].includes(field)),
  );
  return { ...Object.fromEntries(proposed), ...found };
}
