import { readFile, stat } from 'node:fs/promises';
import { type CellValue, readXlsx, streamXlsxRows } from 'hucre/xlsx';
import { LedgerImportError } from './columns.ts';
import {
  checkedArchive,
  MAX_ROWS,
  MAX_SHEET_NAME,
  MAX_WORKBOOK,
  workbookTooLarge,
} from './workbook-limits.ts';

/** Maximum number of sheets that a message lists, and that are checked for content. */
const MAX_LISTED = 20;
/** From this value on, Excel replaces trailing digits of a number with zeros. */
const EXACT_BELOW = 1e15;
/** Excel counts days from the end of 1899; a time without a date is before the second day. */
const FIRST_DAY = Date.UTC(1900, 0, 2);

interface Contents {
  bytes: Uint8Array;
  /** Names of all sheets, and of the visible ones. */
  names: string[];
  visible: string[];
}

/** An .xlsx file, which is loaded when a sheet is first requested. */
export class Workbook {
  readonly #file: string;
  #contents: Promise<Contents> | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * Returns the names of the visible sheets with content. Sheets beyond the 20th are assumed to
   * have content.
   * @throws {LedgerImportError} for a workbook that cannot be read
   */
  async sheets(): Promise<string[]> {
    const { bytes, visible } = await this.#open();
    const filled: string[] = [];
    for (const [at, name] of visible.entries()) {
      if (at >= MAX_LISTED || (await hasContent(bytes, name))) filled.push(name);
    }
    return filled;
  }

  /**
   * Converts a sheet to CSV in UTF-8, whose line numbers equal the row numbers of the sheet.
   * Formulas yield their stored value; links to other files are not followed.
   * @param sheet its name, or its number from 1 @default the only one with content
   * @param decimal decimal separator of numbers @throws {LedgerImportError} for a workbook that
   * cannot be read
   */
  async *csv(
    sheet: string | undefined,
    decimal: 'point' | 'comma' = 'point',
  ): AsyncGenerator<Uint8Array> {
    const { bytes } = await this.#open();
    const name = await this.#sheetOf(sheet);
    const encoder = new TextEncoder();
    try {
      let line = 0;
      let width = 0;
      for await (const { index, values } of streamXlsxRows(bytes, { sheet: name })) {
        if (!Number.isInteger(index) || index < line || index >= MAX_ROWS) throw unreadable();
        const blank = '\r\n'.repeat(index - line);
        line = index + 1;
        const filled = withoutBlankEnd(values);
        width = Math.max(width, filled.length);
        // A row of a sheet ends at its last non-empty cell.
        const rest = filled.length === 0 ? '' : ','.repeat(width - filled.length);
        yield encoder.encode(`${blank}${rowText(filled, decimal)}${rest}\r\n`);
      }
    } catch (error) {
      throw explained(error);
    }
  }

  /**
   * Returns the cells of rows of a sheet as texts, with their numbers from 1.
   * @throws {LedgerImportError} for a workbook that cannot be read
   */
  async cells(
    sheet: string,
    wanted: readonly number[],
  ): Promise<{ row: number; values: string[] }[]> {
    const { bytes } = await this.#open();
    const last = Math.max(0, ...wanted);
    const found: { row: number; values: string[] }[] = [];
    try {
      for await (const { index, values } of streamXlsxRows(bytes, { sheet })) {
        if (index >= last) break;
        if (!wanted.includes(index + 1)) continue;
        found.push({ row: index + 1, values: values.map((value) => textOf(value, 'point')) });
      }
    } catch (error) {
      throw explained(error);
    }
    return found;
  }

  #open(): Promise<Contents> {
    this.#contents ??= contentsOf(this.#file);
    return this.#contents;
  }

  async #sheetOf(asked: string | undefined): Promise<string> {
    const { names, visible } = await this.#open();
    if (asked !== undefined) {
      const found = names.find((name) => name === asked) ?? names[Number(asked) - 1];
      if (found !== undefined) return found;
      throw new LedgerImportError(
        `The workbook has no such sheet: set \`sheet\` to one of ${listOf(visible)}.`,
      );
    }
    const filled = visible.length > 1 ? await this.sheets() : visible;
    const [only = visible[0], ...others] = filled;
    if (only !== undefined && others.length === 0) return only;
    throw new LedgerImportError(
      `The workbook has several sheets: set \`sheet\` to one of ${listOf(filled)}.`,
    );
  }
}

async function contentsOf(file: string): Promise<Contents> {
  const { size } = await stat(file);
  if (size > MAX_WORKBOOK) throw workbookTooLarge();
  const bytes = checkedArchive(await readFile(file));
  const names: string[] = [];
  const visible: string[] = [];
  try {
    await readXlsx(bytes, {
      sheets: ({ hidden, name, veryHidden }) => {
        names.push(name);
        if (hidden !== true && veryHidden !== true) visible.push(name);
        return false;
      },
    });
  } catch (error) {
    throw explained(error);
  }
  const isUsable = names.every(({ length }) => length <= MAX_SHEET_NAME);
  if (visible.length === 0 || !isUsable) throw unreadable();
  return { bytes, names, visible };
}

async function hasContent(bytes: Uint8Array, sheet: string): Promise<boolean> {
  try {
    for await (const { values } of streamXlsxRows(bytes, { sheet })) {
      if (values.some((value) => value !== null && value !== '')) return true;
    }
    return false;
  } catch (error) {
    throw explained(error);
  }
}

function listOf(names: readonly string[]): string {
  return names
    .slice(0, MAX_LISTED)
    .map((name) => `"${name.slice(0, 31)}"`)
    .join(', ');
}

function rowText(values: readonly CellValue[], decimal: 'point' | 'comma'): string {
  return values
    .map((value) => {
      const text = textOf(value, decimal);
      return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    })
    .join(',');
}

/**
 * Removes trailing blanks: spreadsheets store formatted blank cells, even far to the right of the
 * header row.
 */
function withoutBlankEnd(values: readonly CellValue[]): readonly CellValue[] {
  const isFilled = (value: CellValue) => value !== null && String(value).trim() !== '';
  return values.slice(0, values.findLastIndex(isFilled) + 1);
}

/**
 * Returns a cell as a single line of text: a line break would change the line numbers of the rows
 * below.
 */
function textOf(value: CellValue, decimal: 'point' | 'comma'): string {
  if (value === null) return '';
  if (value instanceof Date) return dateText(value);
  if (typeof value === 'number') return numberText(value, decimal);
  return String(value).replace(/[\r\n\t]+/g, ' ');
}

/**
 * Long integers keep their exponent, so that an id whose last digits Excel replaced with zeros is
 * rejected.
 */
function numberText(value: number, decimal: 'point' | 'comma'): string {
  const isRounded = Number.isInteger(value) && Math.abs(value) >= EXACT_BELOW;
  const text = isRounded ? value.toExponential() : String(value);
  return decimal === 'comma' ? text.replace('.', ',') : text;
}

/** A date in a spreadsheet has no time zone. */
function dateText(date: Date): string {
  if (Number.isNaN(date.getTime())) return '#VALUE!';
  const [day = '', time = ''] = date.toISOString().slice(0, -1).split('T');
  const clock = time.endsWith('.000') ? time.slice(0, 8) : time;
  if (date.getTime() < FIRST_DAY) return clock;
  return clock === '00:00:00' ? day : `${day} ${clock}`;
}

/** Returns an error that says what to do. */
function explained(error: unknown): LedgerImportError {
  return error instanceof LedgerImportError ? error : unreadable(error);
}

/** @param cause is not included in the message, because it may quote the file */
function unreadable(cause?: unknown): LedgerImportError {
  const error = new LedgerImportError(
    'The workbook cannot be read: it is damaged, or no plain .xlsx. Open it in Excel, save it as .xlsx without a password, or save its sheet as CSV UTF-8.',
  );
  error.cause = cause;
  return error;
}
