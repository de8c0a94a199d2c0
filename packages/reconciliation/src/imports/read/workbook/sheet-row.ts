import { HEADER_WITHIN } from '../header-row.ts';

/**
 * How the stored cell differs from the displayed one:
 * - `merged`: it is covered by a merged cell.
 * - `hidden-column`: its column is hidden.
 * - `uncomputed`: a formula without a stored value.
 * - `stale`: a formula whose stored value must be recomputed when the workbook is opened.
 * - `zero`: a formula with a stored 0, as written by programs that compute no formulas.
 */
export type CellKind = 'merged' | 'hidden-column' | 'uncomputed' | 'stale' | 'zero';

export interface CellMark {
  kind: CellKind;
  /** Displayed text; the same as the stored one if unknown. */
  shown: string;
  /** For `merged`, the number of the area's first row. */
  from?: number;
}

/** A row's cell texts, without empty ones at the end. */
export interface SheetRow {
  /** Number of the row in the sheet, from 1. */
  line: number;
  values: string[];
  /** Whether the row is hidden, including by a filter. */
  isHidden: boolean;
  /** Cell marks by index. */
  marks: ReadonlyMap<number, CellMark>;
}

/** Maximum number of rows below the header row in a preview. */
export const PREVIEW_ROWS = 20;
const MAX_TEXT = 262_144;

/** Returns a sheet's first rows as CSV, in which columns are recognized by their names. */
export async function beginningOfSheet(rows: AsyncIterable<SheetRow>): Promise<string> {
  let text = '';
  let count = 0;
  for await (const { values } of rows) {
    text += `${values.map(quoted).join(',')}\r\n`;
    count += 1;
    if (count > HEADER_WITHIN + PREVIEW_ROWS || text.length > MAX_TEXT) break;
  }
  return text;
}

function quoted(text: string): string {
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
