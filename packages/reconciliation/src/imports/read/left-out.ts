import { hasTwoAmounts } from '@financing-checkout/contract/plain';
import type { Reading } from './options.ts';
import { fieldNamed, type LedgerField } from './columns.ts';
import type { ExtraRow } from './extra-rows.ts';
import { optionalText } from './field-text.ts';
import type { LedgerRecord } from './line-problem.ts';
import type { CellKind } from './workbook/sheet-row.ts';
import { hasAmount } from './read-amount.ts';
import { meantBy } from './read-type.ts';

/** Why a row is skipped. */
export interface LeftOut {
  reason:
    | 'type'
    | 'other-type'
    | 'other-row'
    | `without-${LedgerField | 'column'}`
    | ExtraRow
    | 'hidden-row'
    | Exclude<CellKind, 'uncomputed' | 'zero'>;
  /** Word in the type column; for `without-column` and sheet cells, the name of the column. */
  word?: string | undefined;
}

/** Returns why a record is skipped; undefined to read it. */
export function leftOutOf(record: LedgerRecord, options: Reading): LeftOut | undefined {
  for (const [column, words] of Object.entries(options.only ?? {})) {
    const value = Object.hasOwn(record, column) ? record[column] : undefined;
    const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
    if (!words.includes(text)) return { reason: 'other-row' };
  }
  const word = optionalText(record, 'type', options);
  if (typeof word === 'string') {
    const meant = meantBy(word, options);
    if (meant === 'skip') return { reason: 'type', word };
    if (meant === undefined && options.skipOtherTypes === true)
      return { reason: 'other-type', word };
  }
  for (const lacking of options.skipRowsWithout ?? []) {
    const field = fieldNamed(lacking);
    if (field === undefined) {
      if (isBlank(record, lacking)) return { reason: 'without-column', word: lacking };
    } else if (isWithout(record, field, options)) return { reason: `without-${field}` };
  }
  return undefined;
}

function isBlank(record: LedgerRecord, column: string): boolean {
  const value = Object.hasOwn(record, column) ? record[column] : undefined;
  return (
    value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
  );
}

function isWithout(record: LedgerRecord, field: LedgerField, options: Reading): boolean {
  const hasOne = (name: LedgerField) => hasAmount(optionalText(record, name, options));
  if (field === 'settled' || field === 'refunded') return !hasOne(field);
  if (field !== 'amount') return optionalText(record, field, options) === undefined;
  return hasTwoAmounts(options.mapping)
    ? !hasOne('settled') && !hasOne('refunded')
    : !hasOne('amount');
}
