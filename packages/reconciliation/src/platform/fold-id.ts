/** How a spreadsheet says that digits are text: `="00123"`. */
const formulaText = /^="((?:[^"]|"")*)"$/;
/** What no reader sees: zero-width spaces, soft hyphens, marks of direction, byte order marks. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * Returns an id as it was before a spreadsheet or a web page changed it: without blanks around it, without
 * invisible characters, without the apostrophe or the `="…"` that says that it is text.
 */
export function foldId(text: string): string {
  const visible = text.replace(invisible, '').trim();
  if (visible.startsWith("'") && visible.length > 1) return visible.slice(1);
  return formulaText.exec(visible)?.[1]?.replaceAll('""', '"') ?? visible;
}
