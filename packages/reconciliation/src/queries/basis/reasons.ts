import { currencies, minorUnitDigits } from '@financing-checkout/contract/money';
import {
  type OrderStatusRecord,
  reasonWords,
  statusReasons,
} from '@financing-checkout/contract/reconciliation';
import type { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import { DIGITS_OF_UNKNOWN } from '@financing-checkout/reconciliation-rules';

/**
 * Explains an order's status in English.
 * @param calendar days of the business zone
 */
export function reasonsOf(
  status: Omit<OrderStatusRecord, 'reasons'>,
  calendar: Calendar,
): string[] {
  return statusReasons(status, 'en', {
    money: (value) => written(value, status.currency, status.currencyAssumed),
    day: (time) => calendar.dayOf(Date.parse(time)),
    zone: calendar.zone,
  });
}

/** Formats an amount for people; an assumed currency gets a question mark. */
export function written(value: number, currency: string, isAssumed = false): string {
  const text = decimal(value, currency).replace('-', '−');
  if (currencies.has(currency)) return `${text} ${currency}${isAssumed ? '?' : ''}`;
  return `${text} (currency not known)`;
}

/**
 * Formats an amount or sum as an exact decimal. Without a known currency, it has the digits from its
 * file without trailing zeros, because the number of decimals is unknown.
 */
export function decimal(value: number | bigint, currency: string): string {
  const digits = digitsOf(currency);
  const sign = value < 0 ? '-' : '';
  const text = String(value)
    .replace('-', '')
    .padStart(digits + 1, '0');
  if (digits === 0) return sign + text;
  const padded = `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
  return currencies.has(currency) ? padded : padded.replace(/\.?0+$/, '');
}

/** Returns the number of decimals of a currency, or of amounts without one. */
export function digitsOf(currency: string): number {
  return currencies.has(currency) ? minorUnitDigits(currency) : DIGITS_OF_UNKNOWN;
}

/** Explains an assumed currency and how to fix it. */
export const ASSUMED_CURRENCY = reasonWords.en.currencyAssumed;

/** The field of an answer, if the currency is assumed. */
export function currencyAssumed(isAssumed: unknown): { currencyAssumed?: true } {
  return isAssumed === true ? { currencyAssumed: true } : {};
}
