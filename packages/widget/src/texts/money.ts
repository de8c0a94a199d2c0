import type { Money } from '../model/outcome.ts';

/**
 * Currencies whose minor unit is not a hundredth (ISO 4217). `Intl` follows customary print instead,
 * which uses another number of decimals for some currencies.
 */
export const unusual: readonly (readonly [digits: number, currencies: string])[] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
];

/** Formats an amount for a locale: "$1,299.00". */
export function formatMoney({ value, currency }: Money, locale: string): string {
  const digits = unusual.find(([, currencies]) => currencies.includes(currency))?.[0] ?? 2;
  const written = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(value / 10 ** digits);
  // In right-to-left text, a currency sign after letters would move before them: "$US".
  return written.replace(/(?<=[A-Z])\$$/, '$&\u200e');
}
