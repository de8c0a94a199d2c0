import type { Filter, Filters } from '@financing-checkout/contract/reconciliation';
import { type DuckDBValue, listValue } from '../../platform/duckdb.ts';

type ValueOf<One extends Filter> = One extends { is: 'oneOf'; of: readonly (infer Word)[] }
  ? Word
  : One['is'] extends 'lender'
    ? readonly string[]
    : One['is'] extends 'from' | 'least' | 'to' | 'under'
      ? number
      : One['is'] extends 'either' | 'only'
        ? boolean
        : string;

/**
 * Values of declared filters, as queries need them: all names of the lender, and `from` and `to` as
 * milliseconds since 1970, of which `to` is not included.
 */
export type Selected<Declared extends Filters> = {
  -readonly [Name in keyof Declared]?: ValueOf<Declared[Name]> | undefined;
};

/** An SQL condition, and its parameters. */
export interface Condition {
  condition: string;
  parameters: Record<string, DuckDBValue>;
}
export interface Conditions {
  conditions: string[];
  parameters: Record<string, DuckDBValue>;
}

/**
 * SQL by filter: the value that the filter compares, or for `only` and `either` the condition. With a
 * question mark, which is the filter's value, it is the whole condition. Null: the query has another
 * condition for the filter. By default the column is the filter's name in snake case.
 */
export type FilterSql = Readonly<Record<string, string | null>>;

/**
 * Returns the conditions of filters.
 * @param prefix of the parameters, if a statement has several sets of filters
 */
export function conditionsOf<Declared extends Filters>(
  filters: Declared,
  values: Selected<Declared>,
  sqlOf: FilterSql,
  prefix = '',
): Conditions {
  const conditions: string[] = [];
  const parameters: Record<string, DuckDBValue> = {};
  for (const [name, { is }] of Object.entries<Filter>(filters)) {
    const value: string | number | boolean | readonly string[] | undefined = values[name];
    const column = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const sql = sqlOf[name] === undefined ? column : sqlOf[name];
    if (value === undefined || sql === null) continue;
    if (typeof value === 'boolean') {
      if (value) conditions.push(sql);
      else if (is === 'either') conditions.push(`not ${sql}`);
      continue;
    }
    const parameter = `${prefix}${column}`;
    if (typeof value === 'number') {
      const operator = is === 'least' || is === 'from' ? '>=' : '<';
      conditions.push(`${sql} ${operator} $${parameter}::bigint`);
      parameters[parameter] = BigInt(value);
    } else {
      conditions.push((sql.includes('?') ? sql : `${sql} = ?`).replace('?', `$${parameter}`));
      parameters[parameter] = typeof value === 'string' ? value : listValue([...value]);
    }
  }
  return { conditions, parameters };
}

/** Returns a `where` with all conditions, or nothing without one. */
export const whereOf = (conditions: readonly string[]) =>
  conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;

/** SQL condition on a funding: it is of a filter's lender. */
export const OF_LENDER = 'lender_name in (select unnest(?::varchar[])) and problem is null';
