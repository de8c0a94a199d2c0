import { currencyDigits, toWireAmount } from '../../platform/money.ts';

/** Formats amounts and rates for a locale. */
export interface Format {
  money: (minorUnits: number) => string;
  percent: (basisPoints: number) => string;
}

export function formatFor(locale: string, currency: string): Format {
  const digits = currencyDigits(currency) ?? 2;
  const money = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 });
  return {
    money: (minorUnits) => money.format(toWireAmount(minorUnits, currency)),
    percent: (basisPoints) => percent.format(basisPoints / 10_000),
  };
}
