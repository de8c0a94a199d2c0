import { amountIn } from '../message/programmes.ts';
import type { Programme } from '../message/programmes.ts';
import { digitsOf } from '../texts/currency-digits.ts';
import { formatMoney } from '../texts/money.ts';

/** A mistake in an element's `amount`, reported to the page's developer. */
export interface AmountMistake {
  readonly kind:
    | 'empty'
    | 'formatted'
    | 'major-units'
    | 'negative'
    | 'no-programmes'
    | 'not-a-number'
    | 'notation'
    | 'rounding'
    | 'small'
    | 'too-large';
  /** The value, the likely mistake and the fix. */
  readonly advice: string;
}

/** Maximum length of a value that is quoted in a message, in characters. */
const LONGEST = 40;
/** Maximum difference between a floating-point result and a whole amount. */
const NEAR = 1e-6;

/**
 * Returns the mistake in an amount that is suspiciously small or for which nothing is shown.
 * @param programmes the known programmes; empty while they are unknown
 */
export function mistakeIn(
  amount: unknown,
  currency: string | null | undefined,
  programmes: readonly Programme[],
): AmountMistake | undefined {
  const text = String(amount).trim();
  if (amount === undefined || amount === null) return undefined;
  const known = /^[A-Z]{3}$/.test(currency ?? '') ? (currency ?? undefined) : undefined;
  const minor = amountIn(amount);
  if (minor !== undefined) return known ? smallIn(minor, known, programmes) : undefined;
  const shown = typeof amount === 'string' ? `"${text.slice(0, LONGEST)}"` : text.slice(0, LONGEST);
  const found = (kind: AmountMistake['kind'], advice: string) => ({
    kind,
    advice: `amount is ${shown}${advice}`,
  });
  if (!text) {
    const mend =
      ': set it once the price is known, and until then remove it, which keeps the space.';
    return found('empty', mend);
  }
  const value = Number(text);
  const unit = 10 ** digitsOf(known ?? 'USD');
  if (Number.isNaN(value)) {
    const price = priceIn(text);
    return price === undefined
      ? found('not-a-number', ', which is no number. Set the price in whole minor units.')
      : found('formatted', `, a formatted price. Set minor units: ${Math.round(price * unit)}.`);
  }
  if (!Number.isFinite(value)) return found('not-a-number', ', which is no amount.');
  if (value < 0) return found('negative', ', which is negative.');
  const whole = Math.round(value);
  const isFraction = /\.\d/.test(text);
  if (isFraction && whole !== value && Math.abs(value - whole) < NEAR) {
    return found('rounding', `: arithmetic with fractions. Round it (Math.round): ${whole}.`);
  }
  if (isFraction) {
    const inMinor = Math.round(value * unit);
    const price = known ? formatMoney({ value: inMinor, currency: known }, 'en-US') : text;
    return found('major-units', `. If the price is ${price}, set minor units: ${inMinor}.`);
  }
  return whole >= 1e14
    ? found('too-large', ', which is too large.')
    : found('notation', `. Write it in digits: ${whole}.`);
}

/** Suspects major units if the amount fits no programme, but fits one when read as major units. */
function smallIn(
  amount: number,
  currency: string,
  programmes: readonly Programme[],
): AmountMistake | undefined {
  const limits = programmes.filter((one) => one.currency === currency).map((one) => one.amount);
  const least = Math.min(...limits.map(({ min }) => min));
  const inMinor = amount * 10 ** digitsOf(currency);
  const isSmall = amount > 0 && amount < least && inMinor !== amount;
  if (!isSmall || !limits.some(({ min, max }) => inMinor >= min && inMinor <= max)) {
    return undefined;
  }
  const [is, from, price] = [amount, least, inMinor].map((value) =>
    formatMoney({ value, currency }, 'en-US'),
  );
  return {
    kind: 'small',
    advice: `amount is ${amount}, which is ${is}: no programme is below ${from}. If the price is ${price}, set minor units: ${inMinor}.`,
  };
}

/**
 * Parses the number in a formatted price. One or two digits after the last period or comma are
 * decimals.
 */
function priceIn(text: string): number | undefined {
  const [written] = /\d[\d.,'’\s]*/.exec(text) ?? [];
  if (written === undefined) return undefined;
  const [, whole = '', decimals = ''] = /^(.*?)(?:[.,](\d{1,2}))?$/s.exec(written.trim()) ?? [];
  return Number(`${whole.replaceAll(/\D/g, '')}.${decimals || 0}`);
}
