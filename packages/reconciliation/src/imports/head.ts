import { LedgerImportError } from './columns.ts';

/** Lines within which the names of columns stand: what a program writes above them is short. */
export const HEAD_WITHIN = 100;

const delimiters = [',', ';', '\t'];

/** Returns what separates values: said by `sep=`, or by the line that holds most of the columns that are sought. */
export function delimiterOf(beginning: string, sought: readonly string[]): string {
  const lines = beginning.trimStart().split(/\r\n|\n|\r/, HEAD_WITHIN);
  const said = /^sep=(.)$/i.exec(lines[0] ?? '')?.[1];
  if (said !== undefined) return said;
  const found = (by: string) =>
    Math.max(...lines.map((line) => countOf(namesOf(line.split(by)), sought)));
  const all = (by: string) => beginning.split(by).length;
  return delimiters.reduce((best, by) =>
    found(by) > found(best) || (found(by) === found(best) && all(by) > all(best)) ? by : best,
  );
}

/**
 * Returns how many characters stand above the line with all columns that are sought: what a program writes
 * there need not be CSV at all. 0 where no line has them as they are.
 */
export function linesAbove(beginning: string, by: string, sought: readonly string[]): number {
  let at = 0;
  for (const line of beginning.split(/(?<=\r\n|\n|\r(?!\n))/, HEAD_WITHIN)) {
    if (countOf(namesOf(line.split(by)), sought) === sought.length) return at;
    at += line.length;
  }
  return 0;
}

function countOf(names: readonly string[], sought: readonly string[]): number {
  return sought.filter((name) => names.includes(name)).length;
}

/** Returns the names of columns of a line that is split, or of a record. */
export function namesOf(values: readonly string[]): string[] {
  return values.map((value) =>
    value
      .trim()
      .replace(/^"(.*)"$/s, '$1')
      .replaceAll('""', '"')
      .trim(),
  );
}

/** Finds the line with the names of columns: the first one that has all that are sought. */
export class HeadSearch {
  readonly #required: readonly string[];
  readonly #columns: readonly string[];
  #closest: { line: number; names: string[]; count: number } | undefined;

  constructor(required: readonly string[], columns: readonly string[]) {
    this.#required = required;
    this.#columns = columns;
  }

  /** Returns the columns where the record is the head. @throws {LedgerImportError} for one that is named twice */
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

  /** @param proposal what else may be said to the user */
  failure(proposal: string | undefined): LedgerImportError {
    if (!this.#closest) {
      return new LedgerImportError('The file is empty: the first line names its columns.');
    }
    const { line, names } = this.#closest;
    const quoted = (list: readonly string[]) => list.map((name) => `"${name}"`).join(', ');
    const lacking = quoted(this.#required.filter((name) => !names.includes(name)));
    const there = looksLikeHead(names)
      ? `: it has ${quoted(names.filter((name) => name !== ''))}`
      : '';
    return new LedgerImportError(
      `Line ${line} names no column ${lacking}${there}. ${proposal ?? 'Say with map which column is which, such as "order=Order No".'}`,
    );
  }
}

/** The line that has most of the columns, and of those the one with most values. */
function rank(names: readonly string[], count: number): number {
  return count * 10_000 + names.filter((name) => name !== '').length;
}

/** Whether these may be names of columns: a value of the file is in no message. */
function looksLikeHead(names: readonly string[]): boolean {
  return names.every((name) => name.length <= 60 && !/^[-+(]?[\d.,]|@/.test(name));
}
