/** Built-in formats of dates and times, also those of East Asian languages (ECMA-376 part 1, 18.8.30). */
const builtIn = new Set([
  ...[14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36],
  ...[45, 46, 47, 50, 51, 52, 53, 54, 55, 56, 57, 58, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81],
]);

/** Elapsed hours, minutes or seconds. */
const elapsed = /\[(?:h+|m+|s+)\]/i;
/** Literal texts, colors, conditions and locales of a format, which may contain any letter. */
const literal = /"[^"]*"?|\\.|[_*].|\[[^\]]*\]|General|E[+-]/gi;

/**
 * Returns whether numbers with a format are dates or times.
 * @param format number of a built-in format, or a format code, whose first section is for dates
 */
export function isDateFormat(format: number | string): boolean {
  if (typeof format === 'number') return builtIn.has(format);
  const code = format.replace(elapsed, 'h').replace(literal, '');
  return /[dmyhsgeb]/i.test(code.split(';', 1)[0] ?? '');
}
