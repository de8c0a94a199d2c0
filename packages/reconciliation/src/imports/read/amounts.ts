import type { LedgerOptions } from '@financing-checkout/contract/reconciliation';
import {
  fromMajorUnits,
  MAX_MINOR_UNITS,
  minorUnitDigits,
  MoneyError,
} from '@financing-checkout/contract/money';

type AmountNotation = Pick<LedgerOptions, 'decimal'>;

/**
 * Digits with optional grouping, keyed by decimal separator: groups of three with one repeated
 * separator, or Indian grouping. A leading 0 rules out groups of three: 0.500 is not five hundred.
 */
const numbers = {
  unsaid: String.raw`(?<whole>\d*)(?:\.(?<fraction>\d+))?`,
  point: String.raw`(?<whole>[1-9]\d{0,2}(?<by>[,'’\s])\d{3}(?:\k<by>\d{3})*|[1-9]\d?(?:,\d{2})+,\d{3}|\d*)(?:\.(?<fraction>\d+))?`,
  comma: String.raw`(?<whole>[1-9]\d{0,2}(?<by>[.'’\s])\d{3}(?:\k<by>\d{3})*|\d*)(?:,(?<fraction>\d+))?`,
};
/**
 * A number with an optional sign before or after it, or parentheses around it, and an optional
 * currency symbol or code. The minus sign may be a hyphen, U+2212, or the en dash that word
 * processors insert. A leading apostrophe marks text in a spreadsheet.
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
/** Sign given by the characters around the digits; accountants put outgoing amounts in parentheses. */
const signs: ReadonlyMap<string, string> = new Map([
  ['', ''],
  ['+', ''],
  ['-', '-'],
  ['−', '-'],
  ['–', '-'],
  ['()', '-'],
]);

/**
 * Normalizes an amount to the form `-1234.50`. Returns undefined if the amount is not in the
 * declared notation or has the symbol of another currency.
 */
export function plainAmount(
  text: string,
  { decimal }: AmountNotation,
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
 * Returns the decimal separator of an amount in this program's own export, which another program
 * may have saved again. The last separator is the decimal separator if it is followed by at most as
 * many digits as the currency has decimals; in a currency without decimals, it may be a thousands
 * separator. Undefined if neither applies.
 */
export function separatorIn(text: string, currency: string): AmountNotation['decimal'] {
  const [, mark, digits = ''] = /([.,])(\d+)$/.exec(text) ?? [];
  const allowed = minorUnitDigits(currency);
  if (mark === undefined) return 'point';
  if (digits.length <= allowed) return mark === ',' ? 'comma' : 'point';
  if (allowed === 0 && digits.length === 3) return mark === ',' ? 'point' : 'comma';
  return undefined;
}

const knownMarks = new Map<string, ReadonlySet<string>>();

/** Returns the symbols and codes of a currency: USD, $, US$. */
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

/** Number of significant digits that a double always represents exactly. */
const FLOAT_DIGITS = 15;

/**
 * Removes digits added by floating-point arithmetic: 133.80000000000001 is 133.8, printed with more
 * digits than a double can represent. Returns the amount unchanged if it would still have more
 * decimals than its currency allows.
 */
export function withoutFloatDigits(amount: string, currency: string): string {
  const [, digits = '', fraction = ''] = /^-?0*(\d*)\.?(\d*)$/.exec(amount) ?? [];
  const significant = (digits + fraction).replace(/^0+/, '').length;
  if (significant <= FLOAT_DIGITS || fraction.length <= minorUnitDigits(currency)) return amount;
  const places = Math.max(0, FLOAT_DIGITS - digits.length);
  const rounded = Number(amount).toFixed(Math.min(places, fraction.length - 1));
  return rounded.replace(/\.?0+$/, '');
}

/** Problem with an amount; the message follows the column name. */
export interface AmountProblem {
  code: string;
  message: string;
}

/** Examples of accepted amounts, by decimal separator. */
const readable = {
  unsaid:
    '1234.50, without the sign of another currency, or set `decimal` to the decimal separator (point or comma)',
  point: '1234.50, without the sign of another currency: `decimal` is point',
  comma: '1234,50, without the sign of another currency: `decimal` is comma',
};

/** Converts a decimal number in major units to minor units. */
export function majorUnits(
  text: string,
  currency: string,
  { decimal }: AmountNotation,
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

/** Parses an integer number of minor units. */
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
