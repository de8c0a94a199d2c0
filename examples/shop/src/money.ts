import { minorUnitDigits, toMajorUnits } from '@financing-checkout/contract/money';
import type { Money } from '@financing-checkout/contract/money';

/** The shop's only currency. All its amounts are integers in US cents. */
export const CURRENCY = 'USD';

/** Formats minor units as "$1,290.00", exactly, because it formats the decimal text. */
export function formatMoney(value: number, currency: string = CURRENCY): string {
  const money: Money = { value, currency };
  const digits = minorUnitDigits(currency);
  return new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(toMajorUnits(money) as Intl.StringNumericLiteral);
}

/** Formats price tags rather than sums: "$1,290" if the cents are zero. */
export function formatPrice(value: number): string {
  return formatMoney(value).replace(/\.00$/, '');
}
