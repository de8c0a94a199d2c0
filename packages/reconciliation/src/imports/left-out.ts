import { hasTwoAmounts, leftOutWithout, type LeftOutWithout } from './columns.ts';
import { optionalText } from './field-text.ts';
import type { LedgerRecord, ReadLineOptions } from './line-problem.ts';
import { hasAmount } from './read-amount.ts';
import { meantBy } from './read-type.ts';

/** Which rows of a file are no lines. */
export interface LeftOutOptions {
  /** Rows that lack one of these; of `amount`, those with 0, too. */
  skipRowsWithout?: readonly LeftOutWithout[] | undefined;
  /** Rows whose type is none of the words that were said. */
  skipOtherTypes?: boolean | undefined;
  /** Columns that say which rows are read: those with one of these words. */
  only?: ReadonlyMap<string, readonly string[]> | undefined;
}

/** Why a row is left out. */
export interface LeftOut {
  reason: 'type' | 'other-type' | 'other-row' | `without-${LeftOutWithout}`;
  /** Of the type column. */
  word?: string | undefined;
}

/** Returns why a record is none to read; undefined for one that is. */
export function leftOutOf(record: LedgerRecord, options: ReadLineOptions): LeftOut | undefined {
  for (const [column, words] of options.only ?? []) {
    const value = Object.hasOwn(record, column) ? record[column] : undefined;
    const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
    if (!words.includes(text)) return { reason: 'other-row' };
  }
  const word = optionalText(record, 'type', options);
  if (typeof word === 'string') {
    const meant = meantBy(word, options.notation);
    if (meant === 'skip') return { reason: 'type', word };
    if (meant === undefined && options.skipOtherTypes === true)
      return { reason: 'other-type', word };
  }
  const { mapping, skipRowsWithout = [] } = options;
  for (const lacking of leftOutWithout) {
    if (!skipRowsWithout.includes(lacking)) continue;
    const isThere =
      lacking === 'amount'
        ? (hasTwoAmounts(mapping)
            ? (['settled', 'refunded'] as const)
            : (['amount'] as const)
          ).some((field) => hasAmount(optionalText(record, field, options)))
        : optionalText(record, lacking, options) !== undefined;
    if (!isThere) return { reason: `without-${lacking}` };
  }
  return undefined;
}
