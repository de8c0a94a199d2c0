/**
 * Writes CSV that is safe from formula injection. All CSV in the project is written here, or in SQL
 * built from {@link csvGuard}, which a test compares with this file. Has no dependencies, so that
 * browsers can load it.
 * @packageDocumentation
 */

/** Decimal separator of amounts. With a decimal comma, values are separated by semicolons. */
export type CsvDecimal = 'point' | 'comma';

/** Value separator by decimal separator. */
export const csvSeparators = { point: ',', comma: ';' } as const;

/**
 * One value. A `number` is computed by the program, such as an amount in major units (`-12.34`). A
 * `text` is untrusted: it may come from an order, a lender or a person. An `exact` text is for a program
 * that wants quotation marks and would keep the apostrophe of a guard as part of the text.
 */
export interface CsvCell {
  kind: 'text' | 'number' | 'exact';
  value: string;
}

/**
 * Parts of the guard, in the syntax that JavaScript and RE2 share: see {@link guardFormulas}.
 * `sign` starts a formula (OWASP, CSV Injection); some spreadsheets treat the full-width forms like
 * the ASCII ones. `lead` is what a spreadsheet may skip before the sign: control characters,
 * blanks, invisible characters and quotes. After a `border`, a spreadsheet in another locale starts
 * a new cell, even within quotes.
 */
export const csvGuard = {
  sign: '[=+@|＝＋－＠\\-]',
  lead: '[\\x00-\\x20\\x7f-\\xa0"\'\u1680\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]',
  border: '[,;\\t\\r\\n]',
  /** A cell that starts with one of these gets an additional apostrophe. */
  first: '[\\t\\r\\n]',
  /** Text that contains any of these is quoted. */
  quoted: '[",;\\t\\r\\n]',
} as const;

const { sign, lead, border, first, quoted } = csvGuard;
/** The lookahead comes first, because the lookbehind is slow and rarely needed. */
const formula = `(?=${sign})(?<=(?:^|${border})${lead}*)`;
const formulas = new RegExp(formula, 'g');
const guarded = new RegExp(`'(?=${sign})(?<=(?:^|${border})${lead}*)`, 'g');
const unprotected = new RegExp(`^(?='*${first})`);
const isProtected = new RegExp(`^'(?='*${first})`);
const unguarded = new RegExp(`${formula}|${unprotected.source}`);
const unsafe = new RegExp(`^${lead}*${sign}|${quoted}`);
const plainNumber = /^-?\d+(?:\.\d+)?$/;

/**
 * Inserts an apostrophe before each sign that could start a formula, and before a leading tab or
 * line break. Text that already has such an apostrophe gets another one, so that
 * {@link withoutGuard} restores any text exactly.
 */
export function guardFormulas(text: string): string {
  return text.replace(formulas, "'").replace(unprotected, "'");
}

/** Reverses {@link guardFormulas}. */
export function withoutGuard(text: string): string {
  return text.replace(isProtected, '').replace(guarded, '');
}

/**
 * Returns a line of a CSV file (RFC 4180, with either separator) with its CRLF. A number stays a
 * number, with a decimal comma if requested; an invalid `number` is written like text.
 */
export function csvLine(cells: readonly CsvCell[], decimal: CsvDecimal = 'point'): string {
  return csvRow(
    cells.map((cell) => csvValue(cell, decimal)),
    decimal,
  );
}

/** Joins values that {@link csvValue} wrote into a line. */
export function csvRow(values: readonly string[], decimal: CsvDecimal = 'point'): string {
  return `${values.join(csvSeparators[decimal])}\r\n`;
}

/**
 * Returns whether no part of a text could start a formula, so that {@link guardFormulas} would not change
 * it.
 */
export function isExact(text: string): boolean {
  return !unguarded.test(text);
}

/**
 * Returns a value as {@link csvLine} writes it.
 * @throws {RangeError} if an `exact` text could start a formula; callers check it with {@link isExact} first
 */
export function csvValue({ kind, value }: CsvCell, decimal: CsvDecimal = 'point'): string {
  if (kind === 'exact') {
    if (!isExact(value)) throw new RangeError('A text of the file could start a formula.');
    return `"${value.replaceAll('"', '""')}"`;
  }
  if (kind === 'number' && plainNumber.test(value)) {
    return decimal === 'comma' ? value.replace('.', ',') : value;
  }
  return unsafe.test(value) ? `"${guardFormulas(value).replaceAll('"', '""')}"` : value;
}
