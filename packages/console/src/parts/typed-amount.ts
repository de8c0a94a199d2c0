import { majorOf } from '../locale/locale.ts';

/** Why a typed amount cannot be parsed. */
type AmountProblem = 'missing' | 'unreadable' | 'too-precise';

/**
 * Parses an amount that a user typed in major units, exactly and without rounding.
 * @param decimals the currency's number of decimals
 * @param locale BCP 47; its decimal separator and correctly placed group separators are accepted
 * @returns integer minor units, or the problem. Signs are refused, because an amount has no
 * direction here.
 */
export function readAmount(text: string, decimals: number, locale: string): number | AmountProblem {
  const typed = normalized(text);
  if (typed === '') return 'missing';
  const parts = new Intl.NumberFormat(locale).formatToParts(12_345.6);
  const point = parts.find(({ type }) => type === 'decimal')?.value ?? '.';
  const [whole = '', fraction, ...rest] = typed.split(point);
  if (rest.length > 0 || !/^\d*$/.test(fraction ?? '')) return 'unreadable';
  const digits = whole.replaceAll(/[^\d]/g, '');
  if (digits === '' || digits.length > 15) return 'unreadable';
  const grouped = new Intl.NumberFormat(locale, { useGrouping: 'always' }).format(BigInt(digits));
  // In German, "1.50" has a group of two digits, so it is rejected rather than read as 150.
  if (whole !== digits && whole !== normalized(grouped)) return 'unreadable';
  const cents = (fraction ?? '').replace(/0+$/, '');
  if (cents.length > decimals) return 'too-precise';
  const minor = Number(`${digits}${cents.padEnd(decimals, '0')}`);
  return Number.isSafeInteger(minor) ? minor : 'unreadable';
}

/** Trims the text, and normalizes all kinds of spaces and apostrophes. */
function normalized(text: string): string {
  return text
    .trim()
    .replaceAll(/[\s\u00A0\u202F]/g, ' ')
    .replaceAll('’', "'");
}

/** Returns an amount as a user would type it in a locale: {@link readAmount} parses it back. */
export function typedText(minor: number, decimals: number, locale: string): string {
  return new Intl.NumberFormat(locale, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(majorOf(minor, decimals));
}
