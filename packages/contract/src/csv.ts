/**
 * Writes CSV that no spreadsheet runs. All CSV of the project is written here, or in SQL that a
 * test compares with this file. It needs no library, so that the console loads it in a browser.
 * @packageDocumentation
 */

/** Decimal separator of amounts. With a comma, semicolons separate values. */
export type CsvDecimal = 'point' | 'comma';

/** Separator of values, by decimal separator. */
export const csvSeparators = { point: ',', comma: ';' } as const;

/**
 * One value. The program computes a `number`, such as an amount in major units (`-12.34`); a
 * `text` may come from an order, a lender or a person, and may be an attack.
 */
export interface CsvCell {
  kind: 'text' | 'number';
  value: string;
}

/**
 * Parts of the guard, in the syntax that JavaScript and RE2 share: see {@link guardFormulas}.
 * `sign` begins a formula (OWASP, CSV Injection); some spreadsheets read the full-width forms as
 * the ASCII ones. `lead` is what a spreadsheet may skip before it: control characters, blanks,
 * invisible characters and quotes. After a `border` a spreadsheet of another locale begins a new
 * cell, within quotes too.
 */
export const csvGuard = {
  sign: '[=+@|＝＋－＠\\-]',
  lead: '[\\x00-\\x20\\x7f-\\xa0"\'\u1680\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]',
  border: '[,;\\t\\r\\n]',
  /** A cell that begins with one of these gets an apostrophe of its own. */
  first: '[\\t\\r\\n]',
  /** Text with any of these is quoted. */
  quoted: '[",;\\t\\r\\n]',
} as const;

const { sign, lead, border, first, quoted } = csvGuard;
/** The look-ahead comes first: the look-behind is slow, and rarely needed. */
const formulas = new RegExp(`(?=${sign})(?<=(?:^|${border})${lead}*)`, 'g');
const guarded = new RegExp(`'(?=${sign})(?<=(?:^|${border})${lead}*)`, 'g');
const unprotected = new RegExp(`^(?='*${first})`);
const isProtected = new RegExp(`^'(?='*${first})`);
const unsafe = new RegExp(`^${lead}*${sign}|${quoted}`);
const plainNumber = /^-?\d+(?:\.\d+)?$/;

/**
 * Puts an apostrophe before each sign that could begin a formula, and before a leading tab or line
 * end. A text that has such an apostrophe already gets another one, so that
 * {@link withoutGuard} restores each text exactly.
 */
export function guardFormulas(text: string): string {
  return text.replace(formulas, "'").replace(unprotected, "'");
}

/** Restores a text of {@link guardFormulas}. */
export function withoutGuard(text: string): string {
  return text.replace(isProtected, '').replace(guarded, '');
}

/**
 * Returns a line of a CSV file (RFC 4180, with either separator) with its CRLF. A number stays a
 * number, with a decimal comma if wanted; a `number` that is none is written like a text.
 */
export function csvLine(cells: readonly CsvCell[], decimal: CsvDecimal = 'point'): string {
  const written = cells.map((cell) => writtenCell(cell, decimal));
  return `${written.join(csvSeparators[decimal])}\r\n`;
}

function writtenCell({ kind, value }: CsvCell, decimal: CsvDecimal): string {
  if (kind === 'number' && plainNumber.test(value)) {
    return decimal === 'comma' ? value.replace('.', ',') : value;
  }
  return unsafe.test(value) ? `"${guardFormulas(value).replaceAll('"', '""')}"` : value;
}
