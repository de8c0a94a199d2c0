import { createReadStream } from 'node:fs';
import { once } from 'node:events';
import {
  FILE_KIND_BYTES,
  type FileKind,
  fileKindAdvice,
  fileKindOf,
  requiredFields,
} from '@financing-checkout/contract/plain';
import { createFile, openToRead } from '@financing-checkout/kit/files';
import { orderKeyOf } from '../../platform/order-key.ts';
import { amountColumns, fieldNamed } from './columns.ts';
import { LedgerImportError } from '../import-error.ts';
import { decoded } from './encoding.ts';
import type { FileOptions, FileRecord } from './file-record.ts';
import { type FileReading, FileTally } from './tally.ts';
import { lineId, type NewLedgerLine } from './line.ts';
import { type LedgerImportOptions, type Reading, readingOf, zoneOf } from './options.ts';
import { recognized, withPreset } from './presets.ts';
import { type PlainLines, withoutPlain } from './plain.ts';
import { sheetRecords } from './csv-records.ts';
import { continued, fileRecords, firstCharacters, recordsOf, requireUnits } from './records.ts';
import { withTotalAbove } from './row-filter.ts';
import { beginningOfSheet } from './workbook/sheet-row.ts';
import { Workbook } from './workbook/workbook.ts';

export interface ReadFileRequest {
  /** The merchant's original file. */
  from: string;
  /** NDJSON of the file's lines, in the columns of `lineColumns`. */
  to: string;
  options: LedgerImportOptions;
  /** Milliseconds since 1970. */
  now: number;
  /** Maximum size of the lines in bytes, because a short row may become a much longer line. */
  maxBytes: number;
  /** Lines that SQL has already read. @default none */
  plain?: PlainLines | undefined;
}

const NO_ROOM =
  'The lines of the file do not fit on the disk of the analytics database: free space there, or split the file.';

/** Characters per write. */
const PIECE = 262_144;

/**
 * Converts a ledger file to lines without loading a large file entirely. If SQL has read plain
 * lines, converts only the others.
 */
export async function readLedgerFile(request: ReadFileRequest): Promise<FileReading> {
  const opened = await openFile(request);
  try {
    return await readOpened(request, opened);
  } finally {
    await opened.workbook?.close();
  }
}

async function readOpened(
  { from, maxBytes, plain, to }: ReadFileRequest,
  { fileOptions, kind, options, reading, workbook }: OpenedFile,
): Promise<FileReading> {
  const tally = new FileTally();
  if (plain) {
    tally.takePlain(plain);
    if (plain.from === 1 && plain.others.length === 0) return tally.result(zoneOf(options));
  }
  const records = () => {
    if (kind !== undefined && kind !== 'xlsx') throw new LedgerImportError(fileKindAdvice[kind]);
    if (plain) return otherRecords(createReadStream(from), plain, fileOptions);
    if (!workbook) return fileRecords(createReadStream(from), options.format, fileOptions);
    requireUnits(fileOptions);
    return sheetRecords(workbook.rows(options.sheet, options.decimal), fileOptions);
  };
  const output = (await createFile(to)).createWriteStream();
  let piece = '';
  let written = 0;
  const takeRoom = () => {
    written += Buffer.byteLength(piece);
    if (written > maxBytes) throw new LedgerImportError(NO_ROOM);
  };
  try {
    for await (const record of withTotalAbove(records(), reading)) {
      for (const line of tally.read(record, reading)) piece += textOf(record.line, line);
      if (piece.length < PIECE) continue;
      takeRoom();
      if (!output.write(piece)) await once(output, 'drain');
      piece = '';
    }
    takeRoom();
    tally.end(reading);
  } catch (error) {
    if (!(error instanceof LedgerImportError)) throw error;
    // Lines before the error are reported, too.
    tally.error({ line: undefined, code: 'file-unreadable', message: error.message });
    // A file with an error has no effect, so its last lines need not be written.
    piece = '';
  }
  output.end(piece);
  await once(output, 'finish');
  return tally.result(zoneOf(options));
}

/** Reads the records that are not plain. */
async function* otherRecords(
  bytes: AsyncIterable<Uint8Array>,
  plain: PlainLines,
  options: FileOptions,
): AsyncGenerator<FileRecord> {
  const text = decoded(bytes, options.encoding);
  const whole = continued(await firstCharacters(text), text);
  yield* recordsOf(withoutPlain(whole, plain), plain.form, options);
}

export interface OpenedFile {
  kind: FileKind | undefined;
  /** Undefined for a text; the caller closes it. */
  workbook: Workbook | undefined;
  options: LedgerImportOptions;
  reading: Reading;
  fileOptions: FileOptions;
}

/** Determines from the beginning of a file how to read it. */
export async function openFile({
  from,
  now,
  options: stated,
}: Pick<ReadFileRequest, 'from' | 'now' | 'options'>): Promise<OpenedFile> {
  const kind = await kindOf(from);
  const workbook = kind === 'xlsx' ? new Workbook(from) : undefined;
  const said = workbook === undefined ? stated : ofWorkbook(stated);
  const beginning = workbook
    ? await beginningOfSheet(workbook.rows(said.sheet, said.decimal)).catch(ifUnreadable)
    : await beginningOf(createReadStream(from), said.encoding);
  const { options, proposal } = recognizedOptions(beginning, said);
  const reading = readingOf(options, now);
  // A missing column that was named explicitly is an error, because lines would be misinterpreted.
  const { mapping, only } = reading;
  const columns = Object.values(mapping).filter((name) => name !== undefined);
  const needed = requiredFields(reading.mapping, reading.type).flatMap(
    (field) => mapping[field] ?? [],
  );
  const { skipRowsWithout = [] } = reading;
  const lacking = skipRowsWithout.flatMap((name) => {
    const field = fieldNamed(name);
    return field === undefined ? [name] : [];
  });
  const named = [...Object.values(options.map ?? {}), ...Object.keys(only ?? {}), ...lacking];
  const fileOptions = {
    encoding: options.encoding,
    required: [...new Set([...needed, ...named])],
    columns,
    amounts: workbook ? undefined : amountColumns(mapping),
    delimiter: options.delimiter,
    proposal,
    unitsDeclared: options.units !== undefined,
  };
  return { kind, workbook, options, reading, fileOptions };
}

/** Returns the options for reading a sheet as CSV. */
export function ofWorkbook(stated: LedgerImportOptions): LedgerImportOptions {
  return { ...stated, format: 'csv', encoding: undefined, delimiter: ',' };
}

/** Detects this program's own export, and suggests a preset for other known files. */
function recognizedOptions(
  beginning: string,
  options: LedgerImportOptions,
): { options: LedgerImportOptions; proposal?: string } {
  const found = recognized(beginning);
  if (found === undefined) return { options };
  const { name, preset } = found;
  const isMapped = Object.keys(options.map ?? {}).length > 0 && options.ownExport !== true;
  if (preset.ownExport === true && !isMapped) {
    const completed = withPreset(options, preset);
    // The unit is determined by the export format, not by an option: CSV has major units, NDJSON
    // minor units.
    return { options: { ...completed, units: preset.units } };
  }
  return { options, proposal: `This looks like ${preset.title}: set \`preset\` to ${name}.` };
}

async function beginningOf(
  bytes: AsyncIterable<Uint8Array>,
  encoding: string | undefined,
): Promise<string> {
  let text = '';
  try {
    for await (const piece of decoded(bytes, encoding)) {
      text += piece;
      if (text.length >= PIECE) break;
    }
  } catch (error) {
    ifUnreadable(error);
  }
  return text;
}

/**
 * Reading the complete file reports the error. At the beginning of a text, a character may merely
 * be truncated.
 */
function ifUnreadable(error: unknown): string {
  if (!(error instanceof LedgerImportError)) throw error;
  return '';
}

/** Recognizes a file that is not text, such as a PDF, by its first bytes. */
export async function kindOf(file: string): Promise<FileKind | undefined> {
  const handle = await openToRead(file);
  try {
    const { size } = await handle.stat();
    const bytesAt = async (position: number) => {
      const { buffer, bytesRead } = await handle.read(
        Buffer.alloc(FILE_KIND_BYTES),
        0,
        FILE_KIND_BYTES,
        position,
      );
      return buffer.subarray(0, bytesRead);
    };
    return fileKindOf(await bytesAt(0), await bytesAt(Math.max(0, size - FILE_KIND_BYTES)));
  } finally {
    await handle.close();
  }
}

function textOf(number: number, line: NewLedgerLine): string {
  const row = {
    number,
    id: lineId(line),
    order_key: orderKeyOf(line.merchantOrderId),
    merchant_order_id: line.merchantOrderId,
    currency: line.currency,
    type: line.type,
    amount: line.amount,
    occurred_at: line.occurredAt,
    transaction_id: line.transactionId,
    merchant_transaction_id: line.merchantTransactionId,
    charge_id: line.chargeId,
    lender_reference_id: line.lenderReferenceId,
  };
  return `${JSON.stringify(row)}\n`;
}
