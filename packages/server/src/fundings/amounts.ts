import {
  fromMajorUnits,
  MAX_MINOR_UNITS,
  minorUnitDigits,
} from '@financing-checkout/contract/plain';

/**
 * Decimals of amounts whose currency is not known. They are listed, never summed, and are read again
 * once the currency is known.
 */
export const DIGITS_OF_UNKNOWN = 2;

/**
 * An amount of the wire in minor units, exactly. `currency` is empty when it is not known.
 * @throws {MoneyError} for what cannot be held: no number, too many decimals, too large
 */
export function minorUnits(amount: unknown, currency: string): number {
  const digits = currency === '' ? DIGITS_OF_UNKNOWN : minorUnitDigits(currency);
  if (typeof amount === 'number') {
    const scale = 10 ** digits;
    const value = Math.round(amount * scale);
    // One division of two integers that a double holds gives the double nearest to the decimal. If
    // that is the amount, the amount is that decimal; if not, its text decides.
    if (Math.abs(value) <= MAX_MINOR_UNITS && value / scale === amount)
      return value === 0 ? 0 : value;
  }
  const text = typeof amount === 'string' || typeof amount === 'number' ? amount : '';
  return fromMajorUnits(text, currency === '' ? 'USD' : currency).value;
}
