import { minorUnitDigits, toMajorUnits } from '@financing-checkout/contract';
import type { Money } from '@financing-checkout/contract';

/** The shop sells in one currency. Every amount in its code is an integer of US cents. */
export const CURRENCY = 'USD';

/** "$1,290.00", from minor units; exact, because the decimal text is what is formatted. */
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

/** "$1,290" where the cents are zero: for price tags, not for sums. */
export function formatPrice(value: number): string {
  return formatMoney(value).replace(/\.00$/, '');
}
