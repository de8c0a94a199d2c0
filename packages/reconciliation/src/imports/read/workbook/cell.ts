import { MAX_COLUMNS, MAX_ROWS } from './limits.ts';
import { unescaped } from './shared-texts.ts';
import type { WorkbookParts } from './parts.ts';

/** From this value on, Excel replaces a number's trailing digits with zeros. */
const EXACT_BELOW = 1e15;
const DAY_MS = 86_400_000;
/** Excel counts days from the end of 1899, including February 29, 1900, which did not exist. */
const EPOCH = Date.UTC(1899, 11, 31);
const EPOCH_1904 = Date.UTC(1904, 0, 1);
const LEAP_DAY = 60;
/** The day after 9999-12-31. */
const END_OF_DATES = Date.UTC(10_000, 0, 1);

export type DecimalSeparator = 'point' | 'comma';

/** A stored cell of a sheet (ECMA-376 part 1, 18.3.1.4). */
export interface StoredCell {
  /** Attributes `t` and `s`. */
  type: string;
  style: string | undefined;
  /** Text of `v`; undefined without this element. */
  value: string | undefined;
  /** Text of `is`; undefined without this element. */
  inline: string | undefined;
}

type Meaning = Pick<WorkbookParts, 'is1904' | 'isDate' | 'texts'>;

const errorValue = /^#[A-Z][A-Z0-9/_]*[!?]?$/;
const double = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[Ee][+-]?\d+)?$/;
const isoDate = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?$/;
const isoTime = /^T?\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;

/**
 * Returns a cell's text on a single line, because a line break would change the line numbers of the
 * rows below. A cell without a value is empty.
 * @returns undefined for a cell that violates the standard
 */
export function cellText(
  { inline, style, type, value }: StoredCell,
  meaning: Meaning,
  decimal: DecimalSeparator,
): string | undefined {
  const index = style === undefined ? 0 : wholeNumber(style);
  const isDate = index === undefined ? undefined : meaning.isDate(index);
  // A workbook without cell formats has no format 0, either.
  if (isDate === undefined && (index ?? 1) > 0) return undefined;
  if (type === 'inlineStr') return value === undefined ? inLine(inline ?? '') : undefined;
  if (inline !== undefined) return undefined;
  if (type === 'str') return inLine(unescaped(value ?? ''));
  if (value === undefined) return '';
  const written = value.trim();
  switch (type) {
    case 'n':
      return numberText(written, isDate === true, meaning.is1904, decimal);
    case 's': {
      const text = meaning.texts.get(wholeNumber(written) ?? Infinity);
      return text === undefined ? undefined : inLine(text);
    }
    case 'b':
      if (!/^(?:0|1|true|false)$/.test(written)) return undefined;
      return String(written === '1' || written === 'true');
    case 'd':
      if (!isoDate.test(written) && !isoTime.test(written)) return undefined;
      return written.replace(/^T/, '').replace('T', ' ');
    case 'e':
      return errorValue.test(written) ? written : undefined;
    default:
      return undefined;
  }
}

/** Parses a row or column number in digits; returns undefined for any other text. */
export function wholeNumber(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Returns the row and column of a reference such as `B7`, from 1. */
export function placeOf(reference: string): { row: number; column: number } | undefined {
  const [, letters, digits] = /^([A-Z]{1,3})([1-9]\d{0,6})$/.exec(reference) ?? [];
  if (letters === undefined) return undefined;
  const column = Array.from(letters).reduce(
    (sum, letter) => sum * 26 + letter.charCodeAt(0) - 64,
    0,
  );
  const row = Number(digits);
  return column > MAX_COLUMNS || row > MAX_ROWS ? undefined : { row, column };
}

/** Returns a column's letters. @param column from 1 */
export function columnLetters(column: number): string {
  const rest = (column - 1) % 26;
  const last = String.fromCharCode(65 + rest);
  return column > 26 ? `${columnLetters((column - 1 - rest) / 26)}${last}` : last;
}

function inLine(text: string): string {
  return text.replace(/[\r\n\t]+/g, ' ');
}

/**
 * Long integers keep their exponent, so that an id whose last digits Excel replaced with zeros is
 * rejected.
 */
function numberText(
  written: string,
  isDate: boolean,
  is1904: boolean,
  decimal: DecimalSeparator,
): string | undefined {
  // Writers leave a blank cell's value empty.
  if (written === '') return '';
  const value = Number(written);
  if (!double.test(written) || !Number.isFinite(value)) return undefined;
  if (isDate) return dateText(value, is1904);
  const isRounded = Number.isInteger(value) && Math.abs(value) >= EXACT_BELOW;
  const text = isRounded ? value.toExponential() : String(value);
  return decimal === 'comma' ? text.replace('.', ',') : text;
}

/** Spreadsheet dates have no time zone. A number below 1 is a time without a date. */
function dateText(serial: number, is1904: boolean): string {
  const days = is1904 || serial < LEAP_DAY ? serial : serial - 1;
  const ms = (is1904 ? EPOCH_1904 : EPOCH) + Math.round(days * DAY_MS);
  const isLeapDay = !is1904 && Math.floor(serial) === LEAP_DAY;
  if (serial < 0 || isLeapDay || ms >= END_OF_DATES) return '#VALUE!';
  const [day = '', time = ''] = new Date(ms).toISOString().slice(0, -1).split('T');
  const clock = time.endsWith('.000') ? time.slice(0, 8) : time;
  if (serial < 1) return clock;
  return clock === '00:00:00' ? day : `${day} ${clock}`;
}
