/**
 * Returns whether a text is in quotation marks, like a value in a .env file. Some readers of such files
 * keep the marks, which changes a secret.
 */
export function isInQuotationMarks(text: string): boolean {
  return text.length > 1 && /^["']/.test(text) && text.endsWith(text.charAt(0));
}

/** The problem with such a text, and the remedy. */
export const QUOTED = 'in quotation marks, which would be part of it: leave them out';
