/**
 * The beginning of an amount, and the rest after a comma: a group of thousands or the decimals.
 * Either may have a sign and a currency.
 */
const beginning =
  /^'?[-+−–(]?\s*(?:\p{L}*\p{Sc}|[A-Z]{3})?\s*[-+−–]?(?:(?<short>\d{1,3})|\d+|\d{1,3}(?:[.'’\s]\d{3})+)$/u;
const rest = /^(?:\d{1,3}|(?<group>\d{3}\.\d*))(?:\s*(?:[-−–)]|\p{Sc}|[A-Z]{3}))*$/u;

/** Finds CSV rows in which an unquoted amount such as 1,234.50 was split at its comma. */
export class SplitAmounts {
  /** Columns in which an amount may begin, excluding dates and ids. */
  readonly #places: number[];
  /**
   * Numbers of values in rows without a split amount. Their extra values come from trailing
   * separators.
   */
  readonly #widths = new Set<number>();

  /**
   * @param columns names of the columns that are read @param amounts names of the amount columns
   */
  constructor(header: readonly string[], columns: readonly string[], amounts: readonly string[]) {
    const last = Math.max(...columns.map((name) => header.lastIndexOf(name)));
    // To the right of the last column that is read, a split does not shift any values.
    this.#places = [...header.keys()].filter((at) => {
      const name = header[at] ?? '';
      return at <= last && (amounts.includes(name) || !columns.includes(name));
    });
  }

  /** Learns the usual number of values from one of the first rows. */
  learn(values: readonly string[]): void {
    if (!this.#looksSplit(values)) this.#widths.add(values.length);
  }

  /**
   * Returns whether an amount was split at its comma, in a row with more values than the header
   * row.
   */
  includes(values: readonly string[]): boolean {
    return !this.#widths.has(values.length) && this.#looksSplit(values);
  }

  #looksSplit(values: readonly string[]): boolean {
    return this.#places.some((at) => {
      const begun = beginning.exec((values[at] ?? '').trim());
      const ended = rest.exec((values[at + 1] ?? '').trim());
      if (begun === null || ended === null) return false;
      // A decimal point can only follow a complete group of thousands.
      return ended.groups?.group === undefined || begun.groups?.short !== undefined;
    });
  }
}
