import { LedgerImportError } from '../import-error.ts';

/** Maximum number of lines above the header row, where programs put titles. */
export const HEADER_WITHIN = 100;

const delimiters = [',', ';', '\t'];

/** Returns the separator declared by `sep=`, or else that of the line with the most sought columns. */
export function delimiterOf(beginning: string, sought: readonly string[]): string {
  const lines = beginning.trimStart().split(/\r\n|\n|\r/, HEADER_WITHIN);
  const said = /^sep=(.)$/i.exec(lines[0] ?? '')?.[1];
  if (said !== undefined) return said;
  const first = { by: ',', found: -1, all: 0 };
  return delimiters.reduce((best, by) => {
    const found = Math.max(...lines.map((line) => countOf(namesWanted(line, by, sought), sought)));
    const all = beginning.split(by).length;
    const isBetter = found > best.found || (found === best.found && all > best.all);
    return isBetter ? { by, found, all } : best;
  }, first).by;
}

/**
 * Returns the number of characters before the line with all sought columns, which need not be CSV.
 * 0 if no line has all of them unchanged.
 */
export function linesAbove(beginning: string, by: string, sought: readonly string[]): number {
  let at = 0;
  for (const line of beginning.split(/(?<=\r\n|\n|\r(?!\n))/, HEADER_WITHIN)) {
    if (countOf(namesWanted(line, by, sought), sought) === sought.length) return at;
    at += line.length;
  }
  return 0;
}

/** Returns a line's column names if any of them is sought. */
function namesWanted(line: string, by: string, sought: readonly string[]): string[] {
  return sought.some((name) => line.includes(name)) ? namesOf(line.split(by)) : [];
}

function countOf(names: readonly string[], sought: readonly string[]): number {
  return sought.filter((name) => names.includes(name)).length;
}

/** Returns the column names from a split line or a record. */
export function namesOf(values: readonly string[]): string[] {
  return values.map((value) =>
    value
      .trim()
      .replace(/^"(.*)"$/s, '$1')
      .replaceAll('""', '"')
      .trim(),
  );
}

/** Finds the header row: the first line with all sought columns. */
export class HeaderSearch {
  readonly #required: readonly string[];
  readonly #columns: readonly string[];
  #closest: { line: number; names: string[]; count: number } | undefined;

  constructor(required: readonly string[], columns: readonly string[]) {
    this.#required = required;
    this.#columns = columns;
  }

  /**
   * Returns the columns if the record is the header row.
   * @throws {LedgerImportError} for a duplicate column
   */
  take(values: readonly string[], line: number): string[] | undefined {
    const names = values.map((name) => name.trim());
    const count = countOf(names, this.#required);
    if (count < this.#required.length) {
      if (!this.#closest || rank(names, count) > rank(this.#closest.names, this.#closest.count)) {
        this.#closest = { line, names, count };
      }
      return undefined;
    }
    const twice = this.#columns.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
    if (twice !== undefined) {
      throw new LedgerImportError(`Line ${line} names the column "${twice}" twice.`);
    }
    return names;
  }

  /** @param proposal additional advice for the user */
  failure(proposal: string | undefined): LedgerImportError {
    if (!this.#closest) {
      return new LedgerImportError('The file is empty: the first line must name the columns.');
    }
    const { line, names } = this.#closest;
    const quoted = (list: readonly string[]) => list.map((name) => `"${name}"`).join(', ');
    const lacking = quoted(this.#required.filter((name) => !names.includes(name)));
    const there = looksLikeHeader(names)
      ? `: it has ${quoted(names.filter((name) => name !== ''))}`
      : '';
    return new LedgerImportError(
      `Line ${line} names no column ${lacking}${there}. ${proposal ?? 'Set `map` to assign columns, such as "order=Order No".'}`,
    );
  }
}

/** Ranks a line by its sought columns and, among equals, by its number of values. */
function rank(names: readonly string[], count: number): number {
  return count * 10_000 + names.filter((name) => name !== '').length;
}

/**
 * Returns whether these look like column names. If not, a message must not contain them, because
 * values are confidential.
 */
function looksLikeHeader(names: readonly string[]): boolean {
  return names.every((name) => name.length <= 60 && !/^[-+(]?[\d.,]|@/.test(name));
}
