/**
 * Whether a text stands in quotation marks, as values do in a .env file. Not everything that reads
 * such a file takes them off, and with them a secret is another one.
 */
export function isInQuotationMarks(text: string): boolean {
  return text.length > 1 && /^["']/.test(text) && text.endsWith(text.charAt(0));
}

/** What is wrong with such a text, and what to do. */
export const QUOTED = 'in quotation marks, which would be part of it: leave them out';
