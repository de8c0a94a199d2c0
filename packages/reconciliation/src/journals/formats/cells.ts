import {
  minorUnitDigits,
  toMajorUnits,
  type CsvDecimal,
  csvValue,
} from '@financing-checkout/contract/money';
import { type JournalEntry, type JournalLine } from '@financing-checkout/contract/reconciliation';
import { textOf } from './entry-text.ts';

/** Writes a text as CSV. */
export const textCell = (value: string): string => csvValue({ kind: 'text', value });
/** Writes a text as CSV in quotation marks, without a guard. */
export const exactCell = (value: string): string => csvValue({ kind: 'exact', value });
export const numberCell = (value: string, decimal?: CsvDecimal): string =>
  csvValue({ kind: 'number', value }, decimal);

/** Returns a function that writes the text of the line for a lender as CSV. */
export function lineTexts(entry: JournalEntry): (lender: string) => string {
  let last: string | undefined;
  let written = '';
  return (lender) => {
    if (lender !== last) written = textCell(textOf(entry, lender));
    last = lender;
    return written;
  };
}

/**
 * Returns an amount in major units, such as `-12.30`.
 * @param decimals maximum number of decimals, to which the amount is already rounded
 */
export function amountText(amount: number, currency: string, decimals?: number): string {
  const text = toMajorUnits({ value: amount, currency });
  const digits = minorUnitDigits(currency);
  if (decimals === undefined || digits <= decimals) return text;
  return text.slice(0, decimals - digits);
}

/** Returns a line's debit and credit cells as CSV. One of them is empty. */
export function sideCells(
  { amount }: JournalLine,
  { currency }: JournalEntry,
  { decimals, decimal }: { decimals?: number; decimal?: CsvDecimal },
): [debit: string, credit: string] {
  const cell = numberCell(amountText(Math.abs(amount), currency, decimals), decimal);
  return amount > 0 ? [cell, ''] : ['', cell];
}

/** Returns a date as MM/DD/YYYY. */
export function americanDate(date: string): string {
  return `${date.slice(5, 7)}/${date.slice(8)}/${date.slice(0, 4)}`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Returns a date's month, such as `Oct 2026`. */
export function monthText(date: string): string {
  return `${months[Number(date.slice(5, 7)) - 1]} ${date.slice(0, 4)}`;
}
