import { readFile, stat } from 'node:fs/promises';
import { type CellValue, readXlsx, streamXlsxRows } from 'hucre/xlsx';
import { LedgerImportError } from './columns.ts';
import { checkedArchive, MAX_ROWS, MAX_WORKBOOK } from './workbook-limits.ts';

/** The sheet that a person asks for: its name, or its number from 1. */
export type SheetChoice = string | undefined;

/** Maximum sheets that a message lists. */
const MAX_LISTED = 20;
/** From here on Excel replaces digits of a number by zeros. */
const EXACT_BELOW = 1e15;
/** Excel counts days from the end of 1899; a time without a date is before the second day. */
const FIRST_DAY = Date.UTC(1900, 0, 2);

/**
 * Reads a sheet of an .xlsx as CSV in UTF-8, whose lines have the numbers of the sheet's rows. Formulas count by
 * their stored value; links to other files are not followed.
 * @param decimal separator of numbers @throws {LedgerImportError} for a workbook that cannot be read
 */
export async function* workbookCsv(
  file: string,
  sheet: SheetChoice,
  decimal: 'point' | 'comma' = 'point',
): AsyncGenerator<Uint8Array> {
  const { size } = await stat(file);
  if (size > MAX_WORKBOOK) {
    throw new LedgerImportError(
      `The workbook is larger than ${MAX_WORKBOOK / 1_048_576} MiB: save its sheet as CSV UTF-8.`,
    );
  }
  const bytes = checkedArchive(await readFile(file));
  const encoder = new TextEncoder();
  try {
    const name = await sheetOf(bytes, sheet);
    let line = 0;
    for await (const { index, values } of streamXlsxRows(bytes, { sheet: name })) {
      if (!Number.isInteger(index) || index < line || index >= MAX_ROWS) throw unreadable();
      const blank = '\r\n'.repeat(index - line);
      line = index + 1;
      yield encoder.encode(`${blank}${rowText(values, decimal)}\r\n`);
    }
  } catch (error) {
    if (error instanceof LedgerImportError) throw error;
    throw unreadable(error);
  }
}

async function sheetOf(bytes: Uint8Array, asked: SheetChoice): Promise<string> {
  const names: string[] = [];
  const hidden = new Set<string>();
  await readXlsx(bytes, {
    sheets: (info) => {
      names.push(info.name);
      if (info.hidden === true || info.veryHidden === true) hidden.add(info.name);
      return false;
    },
  });
  const found = names.find((name) => name === asked) ?? names[Number(asked) - 1];
  const visible = names.filter((name) => !hidden.has(name));
  const [only, ...others] = visible;
  if (asked === undefined && only !== undefined && others.length === 0) return only;
  if (asked !== undefined && found !== undefined) return found;
  const listed = visible.slice(0, MAX_LISTED).map((name) => `"${name.slice(0, 31)}"`);
  throw new LedgerImportError(
    asked === undefined
      ? `The workbook has several sheets: set \`sheet\` to one of ${listed.join(', ')}.`
      : `The workbook has no such sheet: set \`sheet\` to one of ${listed.join(', ')}.`,
  );
}

function rowText(values: readonly CellValue[], decimal: 'point' | 'comma'): string {
  return values
    .map((value) => {
      const text = textOf(value, decimal);
      return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    })
    .join(',');
}

/** Returns a cell as one line of text: a line end would change the numbers of the rows below. */
function textOf(value: CellValue, decimal: 'point' | 'comma'): string {
  if (value === null) return '';
  if (value instanceof Date) return dateText(value);
  if (typeof value === 'number') return numberText(value, decimal);
  return String(value).replace(/[\r\n\t]+/g, ' ');
}

/**
 * Long whole numbers keep their exponent, so that an id whose last digits Excel replaced by zeros is
 * rejected.
 */
function numberText(value: number, decimal: 'point' | 'comma'): string {
  const isRounded = Number.isInteger(value) && Math.abs(value) >= EXACT_BELOW;
  const text = isRounded ? value.toExponential() : String(value);
  return decimal === 'comma' ? text.replace('.', ',') : text;
}

/** A date of a spreadsheet has no zone. */
function dateText(date: Date): string {
  if (Number.isNaN(date.getTime())) return '#VALUE!';
  const [day = '', time = ''] = date.toISOString().slice(0, -1).split('T');
  const clock = time.endsWith('.000') ? time.slice(0, 8) : time;
  if (date.getTime() < FIRST_DAY) return clock;
  return clock === '00:00:00' ? day : `${day} ${clock}`;
}

/** @param cause stays out of the message: it may quote the file */
function unreadable(cause?: unknown): LedgerImportError {
  const error = new LedgerImportError(
    'The workbook cannot be read: it is damaged, or no plain .xlsx. Open it in Excel, save it as .xlsx without a password, or save its sheet as CSV UTF-8.',
  );
  error.cause = cause;
  return error;
}
