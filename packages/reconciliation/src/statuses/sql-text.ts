/** A text as a literal of SQL. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Texts as literals of SQL, for `in (…)`. */
export function textList(texts: readonly string[]): string {
  return texts.map(sqlText).join(', ');
}
