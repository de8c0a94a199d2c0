import type { Money } from '../model/outcome.ts';
import { digitsOf } from './currency-digits.ts';

/**
 * Formats an amount for a locale: "$1,299.00". `Intl` has the decimals of customary print instead, none
 * for HUF, which has two.
 */
export function formatMoney({ value, currency }: Money, locale: string): string {
  const digits = digitsOf(currency);
  const written = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(value / 10 ** digits);
  // In right-to-left text, a currency sign after letters would move before them: "$US".
  return written.replace(/(?<=[A-Z])\$$/, '$&\u200e');
}
