/**
 * The beginning of an amount, and the rest of it after a comma: a group of thousands, or the decimals.
 * Either may have a sign and a currency.
 */
const beginning =
  /^'?[-+−–(]?\s*(?:\p{L}*\p{Sc}|[A-Z]{3})?\s*[-+−–]?(?:(?<short>\d{1,3})|\d+|\d{1,3}(?:[.'’\s]\d{3})+)$/u;
const rest = /^(?:\d{1,3}|(?<group>\d{3}\.\d*))(?:\s*(?:[-−–)]|\p{Sc}|[A-Z]{3}))*$/u;

/** Finds rows of CSV in which a comma has split an amount such as 1,234.50 that is not in quotes. */
export class SplitAmounts {
  /** Columns in which an amount may begin: no date and no id does. */
  readonly #places: number[];
  /** Numbers of values of rows that have none, and so end with separators. */
  readonly #widths = new Set<number>();

  /** @param columns names of the columns that are read @param amounts those of amounts */
  constructor(head: readonly string[], columns: readonly string[], amounts: readonly string[]) {
    const last = Math.max(...columns.map((name) => head.lastIndexOf(name)));
    // Behind the last column that is read, nothing is moved by a split.
    this.#places = [...head.keys()].filter((at) => {
      const name = head[at] ?? '';
      return at <= last && (amounts.includes(name) || !columns.includes(name));
    });
  }

  /** Takes one of the first rows. */
  learn(values: readonly string[]): void {
    if (!this.#looksSplit(values)) this.#widths.add(values.length);
  }

  /** Returns whether a comma has split an amount of a row with more values than the head. */
  includes(values: readonly string[]): boolean {
    return !this.#widths.has(values.length) && this.#looksSplit(values);
  }

  #looksSplit(values: readonly string[]): boolean {
    return this.#places.some((at) => {
      const begun = beginning.exec((values[at] ?? '').trim());
      const ended = rest.exec((values[at + 1] ?? '').trim());
      if (begun === null || ended === null) return false;
      // A decimal point follows groups of thousands only.
      return ended.groups?.group === undefined || begun.groups?.short !== undefined;
    });
  }
}
