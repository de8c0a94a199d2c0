/** Returns whether both databases can store a text: PostgreSQL has no NUL, and UTF-8 no lone surrogate. */
export function isKeepableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}
