import { requiredFields } from '@financing-checkout/contract/plain';
import type { Reading } from './options.ts';
import { wholeNumberWanted } from './amounts.ts';
import { type LedgerField, ledgerFields } from './columns.ts';
import { LineProblem, type LedgerRecord, type Read } from './line-problem.ts';

export function missing(field: LedgerField): LineProblem {
  const without = ({ settled: 'amount' } as Partial<Record<LedgerField, string>>)[field] ?? field;
  const hint = `set \`skip-rows-without\` to ${without} to leave out such rows`;
  return new LineProblem(field, 'missing', `is missing: ${hint}`);
}

/**
 * Returns the error for a row that ends before an id column, or for a JSON object that lacks a
 * mapped key: without the id, the line would count as a different one. An empty value means that
 * the line has no id.
 */
export function absentId(
  record: LedgerRecord,
  field: LedgerField,
  { mapping, isWithdrawal }: Reading,
): LineProblem | undefined {
  const column = mapping[field];
  // It must be possible to remove lines that were imported without their ids.
  if (column === undefined || isWithdrawal) return undefined;
  const isAbsent = Object.hasOwn(record, column)
    ? record[column] === undefined
    : column !== ledgerFields[field];
  if (!isAbsent) return undefined;
  const message =
    'is not in this row: export it again with all columns; a line without an id has an empty cell there, or null in JSON';
  return new LineProblem(field, 'missing', message);
}

/** Returns a field's trimmed text; reports a missing required one. */
export function textOf(record: LedgerRecord, field: LedgerField, options: Reading): Read<string> {
  const text = optionalText(record, field, options);
  if (text !== undefined || !requiredFields(options.mapping, options.type).includes(field))
    return text;
  return missing(field);
}

/** Returns a field's trimmed text; undefined if it is blank. */
export function optionalText(
  record: LedgerRecord,
  field: LedgerField,
  { decimal, mapping, units }: Reading,
): Read<string> {
  const column = mapping[field];
  const value = column !== undefined && Object.hasOwn(record, column) ? record[column] : undefined;
  if (typeof value === 'number' && Number.isFinite(value)) {
    const isAmount = field === 'amount' || field === 'settled' || field === 'refunded';
    // A number beyond 2^53 may differ from the one in the file.
    if ((units === 'major' && isAmount) || Number.isSafeInteger(value)) {
      return inNotation(value, decimal);
    }
    if (isAmount) return new LineProblem(field, wholeNumberWanted.code, wholeNumberWanted.message);
  }
  if (value !== undefined && value !== null && typeof value !== 'string') {
    return new LineProblem(field, 'not-text', 'must be text');
  }
  const text = value?.trim() ?? '';
  return text === '' ? undefined : text;
}

/** Returns the trimmed text of a column in this program's exports that is not a ledger field. */
export function exportedText(
  record: LedgerRecord,
  column: 'order_key' | 'utc_offset',
): string | undefined {
  const value = Object.hasOwn(record, column) ? record[column] : undefined;
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}

/** JSON numbers always use a decimal point. */
function inNotation(value: number, decimal: Reading['decimal']): string {
  return decimal === 'comma' ? String(value).replace('.', ',') : String(value);
}

/** Parses a text if it is present. */
export function furtherRead<Value>(
  text: Read<string>,
  read: (text: string) => Read<Value>,
): Read<Value> {
  return typeof text === 'string' ? read(text) : text;
}
