import type { Money } from '../outcome.ts';

/**
 * Currencies whose minor unit is not a hundredth (ISO 4217). `Intl` cannot be asked: it knows what
 * is customary in print, which for some currencies is another count of decimals.
 */
export const unusual: readonly (readonly [digits: number, currencies: string])[] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
];

/** Writes an amount as people of a locale do: "$1,299.00". */
export function formatMoney({ value, currency }: Money, locale: string): string {
  const digits = unusual.find(([, currencies]) => currencies.includes(currency))?.[0] ?? 2;
  const written = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(value / 10 ** digits);
  // From right to left, a sign after its letters would come to stand before them: "$US".
  return written.replace(/(?<=[A-Z])\$$/, '$&\u200e');
}
