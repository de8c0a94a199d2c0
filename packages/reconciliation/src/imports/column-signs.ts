import { LineProblem } from './line-problem.ts';
import type { LedgerField } from './columns.ts';

/** Sign of an amount in a column that implies the type. */
export interface ColumnSign {
  field: LedgerField;
  isNegative: boolean;
}

/**
 * Checks the signs of two amount columns. Some banks write debits as negative numbers, others do
 * not, so each amount is read by its absolute value. If a column has both signs, one of them is a
 * correction, which would be added instead of subtracted.
 */
export class ColumnSigns {
  readonly #first = new Map<LedgerField, { positive?: number; negative?: number }>();

  take({ field, isNegative }: ColumnSign, line: number): void {
    const first = this.#first.get(field) ?? {};
    first[isNegative ? 'negative' : 'positive'] ??= line;
    this.#first.set(field, first);
  }

  /** Returns an error for each column with both signs, at the first row with the other sign. */
  problems(): { line: number; problem: LineProblem }[] {
    return [...this.#first].flatMap(([field, { positive, negative }]) => {
      if (positive === undefined || negative === undefined) return [];
      const message = `has both signs, below 0 in line ${negative} and above 0 in line ${positive}: move the corrections to the other column, or import a file with one amount column and \`type\` sign`;
      const line = Math.max(positive, negative);
      return [{ line, problem: new LineProblem(field, 'amount-signs', message) }];
    });
  }
}
