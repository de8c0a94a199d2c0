import {
  fromMajorUnits,
  MAX_MINOR_UNITS,
  minorUnitDigits,
  MoneyError,
} from '@financing-checkout/contract/plain';
import type { Notation } from './notation.ts';

/**
 * Digits with optional grouping, in threes with one repeated separator or in the Indian form, by
 * decimal separator. A leading 0 excludes groups of three: 0.500 is not five hundred.
 */
const numbers = {
  unsaid: String.raw`(?<whole>\d*)(?:\.(?<fraction>\d+))?`,
  point: String.raw`(?<whole>[1-9]\d{0,2}(?<by>[,'’\s])\d{3}(?:\k<by>\d{3})*|[1-9]\d?(?:,\d{2})+,\d{3}|\d*)(?:\.(?<fraction>\d+))?`,
  comma: String.raw`(?<whole>[1-9]\d{0,2}(?<by>[.'’\s])\d{3}(?:\k<by>\d{3})*|\d*)(?:,(?<fraction>\d+))?`,
};
/**
 * An optional sign before or after it, or brackets around it, and a currency sign or code. A minus
 * is a hyphen, U+2212 or, as word processors write it, an en dash. An apostrophe at the beginning
 * marks a text in a spreadsheet.
 */
const written = (number: string) =>
  new RegExp(
    String.raw`^'?(?<open>[-+−–(]?)\s*(?<before>\p{L}*\p{Sc}|[A-Z]{3}|)\s*(?<inner>[-+−–]?)\s*${number}\s*(?<trail>[-−–]?)\s*(?<after>\p{Sc}|\p{L}{2,3}|)\s*(?<close>[-−–)]?)$`,
    'u',
  );
const patterns = {
  unsaid: written(numbers.unsaid),
  point: written(numbers.point),
  comma: written(numbers.comma),
};
/** By the text before and after the digits; brackets mark outgoing amounts in accounting. */
const signs: ReadonlyMap<string, string> = new Map([
  ['', ''],
  ['+', ''],
  ['-', '-'],
  ['−', '-'],
  ['–', '-'],
  ['()', '-'],
]);

/**
 * Returns an amount as `-1234.50`; undefined for another notation than the declared one, and for an
 * amount with the sign of another currency.
 */
export function plainAmount(
  text: string,
  { decimal }: Notation,
  currency?: string,
): string | undefined {
  const found = patterns[decimal ?? 'unsaid'].exec(text)?.groups;
  if (!found) return undefined;
  const { open = '', inner = '', trail = '', close = '', whole = '', fraction = '' } = found;
  const sign = signs.get(open + inner + trail + close);
  const marks = [found.before, found.after].filter((mark) => mark);
  const isOf = marks.every((mark = '') => currency !== undefined && marksOf(currency).has(mark));
  if (sign === undefined || !isOf || marks.length > 1 || whole + fraction === '') return undefined;
  return `${sign}${whole.replaceAll(/\D/g, '') || '0'}${fraction === '' ? '' : `.${fraction}`}`;
}

/**
 * Returns the decimal separator of an amount of the program's own export, whatever program has saved
 * the file again: its digits after the last mark are no more than its currency has, or they are
 * thousands where it has none. Undefined where they are neither.
 */
export function separatorIn(text: string, currency: string): Notation['decimal'] {
  const [, mark, digits = ''] = /([.,])(\d+)$/.exec(text) ?? [];
  const allowed = minorUnitDigits(currency);
  if (mark === undefined) return 'point';
  if (digits.length <= allowed) return mark === ',' ? 'comma' : 'point';
  if (allowed === 0 && digits.length === 3) return mark === ',' ? 'point' : 'comma';
  return undefined;
}

const knownMarks = new Map<string, ReadonlySet<string>>();

/** Returns the signs and codes of a currency: USD, $, US$. */
function marksOf(currency: string): ReadonlySet<string> {
  const known = knownMarks.get(currency);
  if (known) return known;
  const marks = new Set([currency]);
  for (const locale of ['en-US', 'en-CA']) {
    for (const currencyDisplay of ['symbol', 'narrowSymbol'] as const) {
      const format = new Intl.NumberFormat(locale, {
        style: 'currency',
        currency,
        currencyDisplay,
      });
      for (const { type, value } of format.formatToParts(1))
        if (type === 'currency') marks.add(value);
    }
  }
  knownMarks.set(currency, marks);
  return marks;
}

/** Significant digits that every floating-point number holds. */
const FLOAT_DIGITS = 15;

/**
 * Removes digits that floating-point arithmetic added: 133.80000000000001 is 133.8, printed with
 * more digits than such a number holds. Returns an amount unchanged that would still have more
 * decimals than its currency.
 */
export function withoutFloatDigits(amount: string, currency: string): string {
  const [, digits = '', fraction = ''] = /^-?0*(\d*)\.?(\d*)$/.exec(amount) ?? [];
  const significant = (digits + fraction).replace(/^0+/, '').length;
  if (significant <= FLOAT_DIGITS || fraction.length <= minorUnitDigits(currency)) return amount;
  const places = Math.max(0, FLOAT_DIGITS - digits.length);
  const rounded = Number(amount).toFixed(Math.min(places, fraction.length - 1));
  return rounded.replace(/\.?0+$/, '');
}

/** Returns the problem of an amount, as a phrase after the column's name. */
export interface AmountProblem {
  code: string;
  message: string;
}

/** Examples of readable amounts, by decimal separator. */
const readable = {
  unsaid:
    '1234.50, without the sign of another currency, or set `decimal` to the decimal separator (point or comma)',
  point: '1234.50, without the sign of another currency: `decimal` is point',
  comma: '1234,50, without the sign of another currency: `decimal` is comma',
};

/** Returns the minor units of a decimal number in major units. */
export function majorUnits(
  text: string,
  currency: string,
  { decimal }: Notation,
): number | AmountProblem {
  try {
    return fromMajorUnits(text, currency).value;
  } catch (error) {
    if (!(error instanceof MoneyError)) throw error;
    const message =
      error.code === 'amount-too-precise'
        ? `has more decimals than ${currency} has`
        : error.code === 'amount-too-large'
          ? 'is too large to be exact'
          : `is not a decimal number: write ${readable[decimal ?? 'unsaid']}`;
    return { code: error.code, message };
  }
}

const wholeNumber = /^'?(?<before>[-−–]?)(?<digits>\d{1,17})(?<after>[-−–]?)$/;

/** Returns an integer of minor units. */
export function minorUnits(text: string): number | AmountProblem {
  const { before = '', digits = '', after = '' } = wholeNumber.exec(text)?.groups ?? {};
  const amount = Number(before + after === '' ? digits : `-${digits}`);
  const isWhole = digits !== '' && Math.abs(amount) <= MAX_MINOR_UNITS;
  return isWhole && before.length + after.length < 2 ? amount : wholeNumberWanted;
}

export const wholeNumberWanted: AmountProblem = {
  code: 'amount-invalid',
  message: 'must be an integer of minor units (cents); set `units` to major for 12.34',
};
