import { CamelCasePlugin } from 'kysely';
import type { TableDefinition } from './table.ts';
import { wholeOf } from './table.ts';

/**
 * Maps column names to camel case, null to undefined, and whole numbers to numbers, because a
 * merchant's own driver may return them as text. A column name that is a whole number in one table
 * and something else in another is left to its table's `read`.
 */
export class TableRows extends CamelCasePlugin {
  readonly #whole: ReadonlySet<string>;

  constructor(tables: Readonly<Record<string, TableDefinition>>) {
    super();
    const columns = Object.values(tables).flatMap((table) => Object.entries(table.columns));
    const isWhole = ([, { codec }]: (typeof columns)[number]) => codec.storage === 'whole';
    const others = new Set(columns.filter((column) => !isWhole(column)).map(([name]) => name));
    const whole = columns.filter(isWhole).map(([name]) => name);
    this.#whole = new Set(whole.filter((name) => !others.has(name)));
  }

  protected override mapRow(row: Record<string, unknown>): Record<string, unknown> {
    const mapped: Record<string, unknown> = {};
    for (const name of Object.keys(row)) {
      const value = row[name];
      const column = this.camelCase(name);
      if (value === null) mapped[column] = undefined;
      else if (typeof value === 'number' || !this.#whole.has(column)) mapped[column] = value;
      else mapped[column] = wholeOf(value);
    }
    return mapped;
  }
}
