import {
  type JournalEntry,
  type JournalLine,
  minorUnitDigits,
  toMajorUnits,
} from '@financing-checkout/contract';
import type { CsvCell } from '@financing-checkout/contract/csv';

export const textCell = (value: string): CsvCell => ({ kind: 'text', value });
export const numberCell = (value: string): CsvCell => ({ kind: 'number', value });
const empty = textCell('');

/**
 * Returns an amount in major units, such as `-12.30`.
 * @param decimals decimals at most, to which the amount is rounded already
 */
export function amountText(amount: number, currency: string, decimals?: number): string {
  const text = toMajorUnits({ value: amount, currency });
  const digits = minorUnitDigits(currency);
  if (decimals === undefined || digits <= decimals) return text;
  return text.slice(0, decimals - digits);
}

/** Returns the cells of the debit and the credit of a line, of which one is empty. */
export function sideCells(
  { amount }: JournalLine,
  { currency }: JournalEntry,
  decimals?: number,
): [CsvCell, CsvCell] {
  const cell = numberCell(amountText(Math.abs(amount), currency, decimals));
  return amount > 0 ? [cell, empty] : [empty, cell];
}

/** Returns a date as MM/DD/YYYY. */
export function americanDate(date: string): string {
  return `${date.slice(5, 7)}/${date.slice(8)}/${date.slice(0, 4)}`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Returns the month of a date as `Oct 2026`. */
export function monthText(date: string): string {
  return `${months[Number(date.slice(5, 7)) - 1]} ${date.slice(0, 4)}`;
}
