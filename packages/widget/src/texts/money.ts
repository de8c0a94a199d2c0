import type { Money } from '../model/outcome.ts';
import { digitsOf } from './currency-digits.ts';

/**
 * Formats an amount for a locale: "$1,299.00". By default, `Intl` uses the customary number of
 * decimals, for example none for HUF, which has two in ISO 4217.
 */
export function formatMoney({ value, currency }: Money, locale: string): string {
  const digits = digitsOf(currency);
  const written = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(value / 10 ** digits);
  // In right-to-left text, a currency sign after letters would move in front of them: "$US".
  return written.replace(/(?<=[A-Z])\$$/, '$&\u200e');
}
