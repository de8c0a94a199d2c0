import type { Reading } from './options.ts';
import { minorUnitDigits } from '@financing-checkout/contract/money';
import { hasTwoAmounts } from '@financing-checkout/contract/plain';
import {
  type AmountProblem,
  majorUnits,
  minorUnits,
  plainAmount,
  separatorIn,
  withoutFloatDigits,
} from './amounts.ts';
import { type LedgerField } from './columns.ts';
import { missing, optionalText, textOf, furtherRead } from './field-text.ts';
import { LineProblem, type LedgerRecord, type LineNote, type Read } from './line-problem.ts';
import type { NewLedgerLine } from './line.ts';

/** The amount column, and the type that it implies. */
export interface Side {
  field: 'amount' | 'settled' | 'refunded';
  type?: NewLedgerLine['type'];
}

/** A text without digits other than 0, such as `0,00 EUR`. */
const zero = /^(?:[^\p{L}\d]|0|[A-Z]{3})*$/u;

export function hasAmount(text: Read<string>): boolean {
  return text instanceof LineProblem || (text !== undefined && !zero.test(text));
}

/** Returns the columns in which this record has an amount. */
export function sidesOf(record: LedgerRecord, options: Reading): Side[] | LineProblem {
  const { mapping, settleAndRefund } = options;
  if (!hasTwoAmounts(mapping)) return [{ field: 'amount' }];
  const both: Side[] = [
    { field: 'settled', type: 'Settle' },
    { field: 'refunded', type: 'Refund' },
  ];
  const sides = both.filter(({ field }) => hasAmount(optionalText(record, field, options)));
  if (sides.length === 2 && settleAndRefund !== true) {
    const message = `and "${mapping.refunded}" both have an amount: set \`settle-and-refund\` if such a row is a settle and a refund of one date`;
    return new LineProblem('settled', 'both-amounts', message);
  }
  if (sides.length > 0) return sides;
  const isBlank = both.every(({ field }) => optionalText(record, field, options) === undefined);
  return isBlank ? missing('settled') : amountZero('settled');
}

/**
 * In a currency with fewer than three decimals, 1.500 may mean one and a half or fifteen hundred.
 */
const perhapsThousands = /^-?[1-9]\d{0,2}\.\d{3}$/;

/** Reads the signed amount of a column, in minor units. */
export function readSigned(
  record: LedgerRecord,
  side: Side | LineProblem,
  currency: Read<string>,
  options: Reading & { notes: LineNote[] },
): Read<number> {
  if (side instanceof LineProblem) return side;
  const { field } = side;
  const text = textOf(record, field, options);
  // An amount cannot be parsed without its currency, but a missing amount can be reported.
  if (typeof currency !== 'string') return text instanceof LineProblem ? text : undefined;
  return furtherRead(text, (value) => {
    const read = readAmount(value, currency, options, () =>
      options.notes.push({ field, code: 'float-digits' }),
    );
    if (typeof read !== 'number') return new LineProblem(field, read.code, read.message);
    return read === 0 ? amountZero(field) : read;
  });
}

function readAmount(
  text: string,
  currency: string,
  { units, decimal: said, ownExport, isWithdrawal }: Reading,
  onFloat: () => void,
): number | AmountProblem {
  if (units === 'minor') return minorUnits(text);
  const isShown = ownExport === true && said === undefined;
  const decimal = isShown ? separatorIn(text, currency) : said;
  const isUnsaid = decimal === undefined;
  const plain = plainAmount(text, { decimal }, currency);
  if (
    isUnsaid &&
    !isWithdrawal &&
    perhapsThousands.test(plain ?? '') &&
    minorUnitDigits(currency) < 3
  ) {
    const message = `has more decimals than ${currency} has, or a point as thousands separator: set \`decimal\` to the decimal separator`;
    return { code: 'amount-too-precise', message };
  }
  const amount = withoutFloatDigits(plain ?? '', currency);
  if (plain !== undefined && amount !== plain) onFloat();
  return majorUnits(plain === undefined && isUnsaid && isWithdrawal ? text : amount, currency, {
    decimal,
  });
}

/**
 * Returns the error for a row whose net amount has the opposite direction of the line and is at
 * least as large. Fees reduce a net amount but do not reverse it. A type word declared for this
 * file takes precedence.
 */
export function netProblem(
  signed: Read<number>,
  type: Read<NewLedgerLine['type']>,
  currency: Read<string>,
  reading: Reading,
): LineProblem | undefined {
  const { net, units, words, hasPresetTypes, ownExport, isWithdrawal } = reading;
  if (net === undefined || typeof signed !== 'number' || typeof currency !== 'string') return;
  if (ownExport === true || isWithdrawal) return;
  const plain =
    units === 'minor' ? net.text.trim() : plainAmount(net.text.trim(), reading, currency);
  const amount =
    plain === undefined
      ? 0
      : Number(plain) * (units === 'minor' ? 1 : 10 ** minorUnitDigits(currency));
  const isOpposite = amount * signed < 0 && Math.abs(amount) >= Math.abs(signed);
  const areDeclared = words !== undefined && hasPresetTypes !== true;
  const agrees = areDeclared && type === (amount < 0 ? 'Refund' : 'Settle');
  if (!isOpposite || agrees) return;
  const message = `and "${net.column}" are the same money with different signs: correct the row, or set \`types\` to settle= or refund= with the word of the type column of such rows`;
  return new LineProblem('amount', 'amount-contradicts', message);
}

function amountZero(field: LedgerField): LineProblem {
  const message = 'is 0: set `skip-rows-without` to amount to leave out such rows';
  return new LineProblem(field, 'amount-zero', message);
}

/**
 * Returns an amount's size. Many ledgers write outgoing amounts with a minus sign. With two amount
 * columns, amounts are read by their absolute value; {@link ColumnSigns} rejects a column with both
 * signs.
 */
export function magnitudeOf(
  amount: Read<number>,
  type: Read<NewLedgerLine['type']>,
  side: Side | LineProblem,
): Read<number> {
  if (typeof amount !== 'number' || side instanceof LineProblem) return amount;
  if (amount < 0 && side.type === undefined && type === 'Settle') {
    const message =
      'of a settle must not be negative: where such an amount is a refund, set `types` to sign= with the word of the type column, or `type` to sign in a file without types';
    return new LineProblem(side.field, 'amount-negative', message);
  }
  return Math.abs(amount);
}

/** Sign of an amount in a column that implies the type. */
export interface ColumnSign {
  field: LedgerField;
  isNegative: boolean;
}

/**
 * Checks the signs of two amount columns. Some banks write debits as negative numbers and others do
 * not, so each amount is read by its absolute value. If a column has both signs, one of them marks
 * a correction, which would be added instead of subtracted.
 */
export class ColumnSigns {
  readonly #first = new Map<LedgerField, { positive?: number; negative?: number }>();

  take({ field, isNegative }: ColumnSign, line: number): void {
    const first = this.#first.get(field) ?? {};
    first[isNegative ? 'negative' : 'positive'] ??= line;
    this.#first.set(field, first);
  }

  /** Returns an error for each column with both signs, at the first row with the other sign. */
  problems(): { line: number; problem: LineProblem }[] {
    return [...this.#first].flatMap(([field, { positive, negative }]) => {
      if (positive === undefined || negative === undefined) return [];
      const message = `has both signs, below 0 in line ${negative} and above 0 in line ${positive}: move the corrections to the other column, or import a file with one amount column and \`type\` sign`;
      const line = Math.max(positive, negative);
      return [{ line, problem: new LineProblem(field, 'amount-signs', message) }];
    });
  }
}
