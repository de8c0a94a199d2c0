import type { NewLedgerLine } from './line.ts';

/**
 * What a word of the type column says of its line: with `sign`, an amount below 0 is a refund; some
 * lines are nothing to reconcile.
 */
export type TypeMeant = NewLedgerLine['type'] | 'sign' | 'skip';

/** How a file writes what a line is read from, where it is not written as the companion writes it. */
export interface Notation {
  /** What stands before the decimals of an amount; said, thousands may be set apart. */
  decimal?: 'point' | 'comma' | undefined;
  /** Whether the day or the month comes first in a date that ends with its year. */
  dates?: 'dmy' | 'mdy' | undefined;
  /** Of lines that name no type; with `sign`, an amount below 0 is a refund. */
  type?: 'settle' | 'refund' | 'sign' | undefined;
  /** What the words of the type column mean, by word in lower case. @default settle and refund */
  words?: ReadonlyMap<string, TypeMeant> | undefined;
}

/**
 * Digits, in threes with one same character between them or not, and a sign before or after them. What
 * begins with 0 is in no threes: 0.500 is no five hundred.
 */
const written = {
  point: /^([-−(]?)([1-9]\d{0,2}([,'’\s])\d{3}(?:\3\d{3})*|\d+)(?:\.(\d+))?([-−)]?)$/,
  comma: /^([-−(]?)([1-9]\d{0,2}([.'’\s])\d{3}(?:\3\d{3})*|\d+)(?:,(\d+))?([-−)]?)$/,
};
/** Without a notation only what JSON has for a number, and no exponent: 1.23E+05 was rounded. */
const plain = /^-?\d+(?:\.\d+)?$/;
/** By what stands before and after the digits; between brackets books write what goes out. */
const signs: ReadonlyMap<string, string> = new Map([
  ['', ''],
  ['-', '-'],
  ['−', '-'],
  ['()', '-'],
]);

/** An amount as `-1234.50`. @returns undefined for what is not of the declared notation */
export function plainAmount(text: string, { decimal }: Notation): string | undefined {
  if (decimal === undefined) return plain.test(text) ? text : undefined;
  const match = written[decimal].exec(text);
  if (!match) return undefined;
  const [, before = '', whole = '', , fraction, after = ''] = match;
  const sign = signs.get(before + after);
  if (sign === undefined) return undefined;
  const digits = whole.replaceAll(/\D/g, '');
  return `${sign}${digits}${fraction === undefined ? '' : `.${fraction}`}`;
}

/** 31.12.2026, 12/31/2026 2:05 PM. Who writes the month first writes no points. */
const yearLast =
  /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:,?\s+(\d{1,2}):(\d{2})(:\d{2})?(?:\s?([ap])\.?m\.?)?)?$/i;

/** A date as `2026-12-31 14:05`; what is not of the declared notation is left as it is. */
export function plainDate(text: string, { dates }: Notation): string {
  const match = dates === undefined ? null : yearLast.exec(text);
  if (!match) return text;
  const [, first = '', separator, second = '', year = '', hour, minute = '', seconds = '', half] =
    match;
  if (dates === 'mdy' && separator === '.') return text;
  const [day, month] = dates === 'dmy' ? [first, second] : [second, first];
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  if (hour === undefined) return date;
  const isOfHalf = Number(hour) >= 1 && Number(hour) <= 12;
  if (half !== undefined && !isOfHalf) return text;
  const begun = half?.toLowerCase() === 'p' ? 12 : 0;
  const hours = half === undefined ? hour : String((Number(hour) % 12) + begun);
  return `${date} ${hours.padStart(2, '0')}:${minute}${seconds}`;
}
