import { withoutGuard } from '@financing-checkout/contract/money';
import { merchantOrderIdOf } from '../../platform/order-key.ts';
import { exportedText } from './field-text.ts';
import type { LedgerRecord } from './line-problem.ts';

export const MAX_ID = 256;
/**
 * Ids that a spreadsheet corrupted, so that different ids would become the same: a long number that
 * was rounded (1.23457E+15), a decimal number (1001.0), an error, or the content of a cell that is
 * too narrow.
 */
export const changed =
  /^(?:\d(?:[.,]\d+)?E\+\d{2,}|\d+[.,]0+|#N\/A|#(?:REF|VALUE|NUM|NULL|DIV\/0)!|#NAME\?|#{2,})$/i;
/** Words that a program or database (\N) writes for an absent value. */
export const noValue = /^(?:nan|nat|<na>|n\/a|null|none|undefined|\\N)$/i;

export interface IdOptions {
  /** Whether the id is from this program's own export, which changes ids only by escaping them. */
  ownExport: boolean;
  /** Whether to accept suspicious ids, because a withdrawal must be able to remove wrong lines. */
  isWithdrawal: boolean;
}

export type ReadId = { id: string; isFolded: boolean } | { code: string; message: string };

/** Reads an id that a spreadsheet may have changed. @param text not blank */
export function readId(text: string, { ownExport, isWithdrawal }: IdOptions): ReadId {
  const id = ownExport ? withoutGuard(text) : foldId(text);
  if (id === '') return { code: 'missing', message: 'contains only invisible characters' };
  if (id.length > MAX_ID) {
    return { code: 'too-long', message: `is longer than ${MAX_ID} characters` };
  }
  if (!id.isWellFormed()) return { code: 'not-text', message: 'contains a lone surrogate' };
  if (/\p{Cc}/u.test(id)) {
    return { code: 'control-character', message: 'contains a control character' };
  }
  if (!isWithdrawal && changed.test(id)) {
    const message =
      'was changed by a spreadsheet or program: format its column as text and export again';
    return { code: 'spreadsheet-value', message };
  }
  if (!isWithdrawal && noValue.test(id)) {
    const message = 'is the word of a program for no value: export an empty cell instead';
    return { code: 'spreadsheet-value', message };
  }
  return { id, isFolded: id !== text && !ownExport };
}

/**
 * Returns whether the column `order_key` of a row in this program's export refers to another order.
 * Spreadsheets do not change that column. A key from another program does not begin with `order:`.
 */
export function contradictsOrderKey(id: string, record: LedgerRecord): boolean {
  const key = exportedText(record, 'order_key');
  const stated = key === undefined ? undefined : merchantOrderIdOf(withoutGuard(key));
  return stated !== undefined && stated !== id && stated.trim() !== id;
}

/** Spreadsheet notation for digits as text: `="00123"`. */
const formulaText = /^="((?:[^"]|"")*)"$/;
/** Invisible characters: zero-width spaces, soft hyphens, directional marks, byte order marks. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * Restores an id changed by a spreadsheet or web page: removes surrounding whitespace, invisible
 * characters, and the apostrophe or `="…"` that marks text.
 */
export function foldId(written: string): string {
  const visible = written.replace(invisible, '').trim();
  const isMarked = visible.startsWith("'") && visible.length > 1;
  const text =
    (isMarked ? visible.slice(1) : formulaText.exec(visible)?.[1]?.replaceAll('""', '"')) ??
    visible;
  return text.trim();
}
