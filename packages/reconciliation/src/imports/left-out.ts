import { hasTwoAmounts, leftOutWithout, type LeftOutWithout } from './columns.ts';
import { optionalText } from './field-text.ts';
import type { LedgerRecord, ReadLineOptions } from './line-problem.ts';
import { hasAmount } from './read-amount.ts';
import { meantBy } from './read-type.ts';

/** Rules for rows to leave out. */
export interface LeftOutOptions {
  /** Leaves out rows that lack one of these; for `amount` also those with 0. */
  skipRowsWithout?: readonly LeftOutWithout[] | undefined;
  /** Leaves out rows with an undeclared type word. */
  skipOtherTypes?: boolean | undefined;
  /** Reads only rows with one of these values in a column. */
  only?: ReadonlyMap<string, readonly string[]> | undefined;
}

/** Why a row is left out. */
export interface LeftOut {
  reason: 'type' | 'other-type' | 'other-row' | `without-${LeftOutWithout}`;
  /** Word of the type column. */
  word?: string | undefined;
}

/** Returns why a record is left out; undefined: it is read. */
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
