import { digitsOf } from './currency-digits.ts';

/**
 * Converts minor units to major units by moving the decimal point, because a division would round.
 */
export function majorUnits(value: number, currency: string): string {
  const digits = digitsOf(currency);
  const text = String(value).padStart(digits + 1, '0');
  const at = text.length - digits;
  return digits === 0 ? text : `${text.slice(0, at)}.${text.slice(at)}`;
}
