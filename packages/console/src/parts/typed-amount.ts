import { majorOf } from '../locale/locale.ts';

/** Why a typed amount cannot be read. */
type AmountProblem = 'missing' | 'unreadable' | 'too-precise';

/**
 * Reads an amount that a person typed in major units, exactly and without rounding.
 * @param decimals decimals of the currency
 * @param locale BCP 47; its decimal and group separators are accepted, groups only where it puts them
 * @returns integer minor units, or the problem. Signs are refused: an amount has no direction here.
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
  // "1.50" in German has a group of two digits: it is refused, and not read as 150.
  if (whole !== digits && whole !== normalized(grouped)) return 'unreadable';
  const cents = (fraction ?? '').replace(/0+$/, '');
  if (cents.length > decimals) return 'too-precise';
  const minor = Number(`${digits}${cents.padEnd(decimals, '0')}`);
  return Number.isSafeInteger(minor) ? minor : 'unreadable';
}

/** Removes spaces around, and writes all kinds of space and apostrophe the same. */
function normalized(text: string): string {
  return text
    .trim()
    .replaceAll(/[\s\u00A0\u202F]/g, ' ')
    .replaceAll('’', "'");
}

/** Returns an amount as a person types it in a language: {@link readAmount} reads it back. */
export function typedText(minor: number, decimals: number, locale: string): string {
  return new Intl.NumberFormat(locale, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(majorOf(minor, decimals));
}
