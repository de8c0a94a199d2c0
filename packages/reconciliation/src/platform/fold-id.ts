/** Spreadsheet notation for digits as text: `="00123"`. */
const formulaText = /^="((?:[^"]|"")*)"$/;
/** Invisible characters: zero-width spaces, soft hyphens, directional marks, byte order marks. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * Restores an id that a spreadsheet or web page changed: removes surrounding whitespace, invisible
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
