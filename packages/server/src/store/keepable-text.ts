/**
 * Returns whether both databases can store a text: PostgreSQL cannot store NUL, and UTF-8 cannot
 * encode a lone surrogate.
 */
export function isKeepableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}
