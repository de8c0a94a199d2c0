/**
 * Whether a text stands in quotation marks, as values do in a .env file. Not everything that reads
 * such a file takes them off, and with them a secret is another one.
 */
export function isInQuotationMarks(text: string): boolean {
  return text.length > 1 && /^["']/.test(text) && text.endsWith(text.charAt(0));
}
