import { HEADER_WITHIN } from '../header-row.ts';
import type { SheetRow } from './sheet-row.ts';

/** Maximum number of rows below the header row of a preview. */
export const PREVIEW_ROWS = 20;
const MAX_TEXT = 262_144;

/** Returns the first rows of a sheet as CSV, in which columns are recognized by their names. */
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
