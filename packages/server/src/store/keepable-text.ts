/** Whether both databases hold a text: that of PostgreSQL has no NUL, and UTF-8 no half of a pair. */
export function isKeepableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}
