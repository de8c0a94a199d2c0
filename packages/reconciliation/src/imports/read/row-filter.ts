import type { Reading } from './options.ts';
import { currencies } from '@financing-checkout/contract/money';
import { hasTwoAmounts } from '@financing-checkout/contract/plain';
import { minorUnits, plainAmount } from './amounts.ts';
import { type LedgerField } from './columns.ts';
import { isWords } from './dates.ts';
import {
  type ExtraRow,
  extraRowOf,
  noSums,
  type RowTexts,
  withLine,
  withLines,
  withSection,
} from './extra-rows.ts';
import type { FileRecord } from './file-record.ts';

/**
 * Amounts are summed in ten-thousandths: no currency has more decimals, and such sums are exact.
 */
export const PRECISION = 4;

/** Finds table rows that are not ledger lines, row by row. */
export class RowFilter {
  #sums = noSums;

  /**
   * Processes the next row.
   * @param cells in the order of the header row
   * @returns why the row is probably not a ledger line; undefined if it is one
   */
  take(
    cells: readonly string[],
    header: readonly string[],
    options: Reading,
  ): ExtraRow | undefined {
    const row = rowTexts(cells, header, options);
    const extra = extraRowOf(row, header, this.#sums);
    if (extra === undefined) this.#sums = withLine(this.#sums, row);
    else if (extra !== 'label') this.#sums = withSection(this.#sums);
    return extra;
  }

  /** Skips lines that need no examination. @param amount sum in the unit of the file's rows */
  pass(count: number, amount: number): void {
    if (count > 0) this.#sums = withLines(this.#sums, count, amount);
  }
}

/**
 * Marks a table's first row as a total if its order consists of words and the next row's has a
 * number: the total is for the lines below.
 */
export async function* withTotalAbove(
  records: AsyncIterable<FileRecord>,
  reading: Reading,
): AsyncGenerator<FileRecord> {
  let first: FileRecord | undefined;
  let isBegun = false;
  try {
    for await (const record of records) {
      if (!isBegun) {
        isBegun = true;
        first = record;
        continue;
      }
      if (first) yield isTotalAbove(first, record, reading) ? { ...first, isTotal: true } : first;
      first = undefined;
      yield record;
    }
  } catch (error) {
    // Lines before an error are reported.
    if (first) yield first;
    throw error;
  }
  if (first) yield first;
}

function isTotalAbove(first: FileRecord, next: FileRecord, reading: Reading): boolean {
  if (!first.row || !next.row) return false;
  const { amounts, order } = rowTexts(first.row.cells, first.row.header, reading);
  const below = rowTexts(next.row.cells, next.row.header, reading);
  const hasAmount = amounts.some((amount) => amount !== undefined);
  return hasAmount && order !== '' && !/\d/.test(order) && /\d/.test(below.order);
}

function rowTexts(
  values: readonly string[],
  header: readonly string[],
  reading: Reading,
): RowTexts {
  const { mapping, units, currency: usual } = reading;
  const cells = header.map((_, at) => (values[at] ?? '').trim());
  const textOf = (field: LedgerField) => {
    const column = mapping[field];
    return column === undefined ? '' : (cells[header.indexOf(column)] ?? '');
  };
  const code = textOf('currency').toUpperCase() || usual;
  // In another section, this column may contain something else.
  const currency = code !== undefined && currencies.has(code) ? code : undefined;
  const amountOf = (text: string): number | undefined => {
    if (text === '') return undefined;
    if (units === 'minor') {
      const read = minorUnits(text);
      return typeof read === 'number' ? read : undefined;
    }
    const plain = plainAmount(text, reading, currency);
    return plain === undefined ? undefined : Math.round(Number(plain) * 10 ** PRECISION);
  };
  const order = textOf('order');
  const date = textOf('date');
  const amounts = hasTwoAmounts(mapping)
    ? [textOf('settled'), textOf('refunded')]
    : [textOf('amount')];
  return {
    cells,
    order,
    // A balance's title may be in the date column.
    date: order === '' && isWords(date) ? '' : date,
    amounts: amounts.map(amountOf),
  };
}
