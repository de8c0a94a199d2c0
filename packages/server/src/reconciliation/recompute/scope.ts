import type { BulkConnection, Value } from './bulk.ts';

/**
 * Which orders: all after a key up to another, or those of them whose lines have changed. Without
 * a `last` there is no end. Keys are compared by the database alone, for its collation decides.
 */
export interface Scope {
  environment: string;
  kind: 'all' | 'dirty';
  after: string;
  last: string | undefined;
}

/** A part of a statement, with its parameters. */
export interface Fragment {
  sql: string;
  parameters: Value[];
}

/**
 * `<alias>` ranges over the rows of a table that belong to the orders of a scope.
 * @param join further tables, joined to it
 */
export function from(table: string, alias: string, scope: Scope, join = ''): Fragment {
  const { environment, kind } = scope;
  const range = within(kind === 'all' ? alias : 'changed', scope);
  const parameters = [environment, ...range.parameters];
  if (kind === 'all') {
    return {
      sql: `from ${table} ${alias} ${join} where ${alias}.environment = ? and ${range.sql}`,
      parameters,
    };
  }
  return {
    // SQLite reads the left side of a cross join first.
    sql: `from dirty_orders changed cross join ${table} ${alias} ${join}
      where changed.environment = ? and ${range.sql}
      and ${alias}.environment = changed.environment and ${alias}.order_key = changed.order_key`,
    parameters,
  };
}

/**
 * Whether the key of a row of `<alias>` is one of a scope's, or between two of them. Of a table that is
 * joined it is said as well: until PostgreSQL has counted its rows it would read all of them.
 */
export function within(alias: string, { after, last }: Scope): Fragment {
  const isAfter = `${alias}.order_key > ?`;
  if (last === undefined) return { sql: isAfter, parameters: [after] };
  return { sql: `${isAfter} and ${alias}.order_key <= ?`, parameters: [after, last] };
}

/**
 * The key up to which a scope has about `rows` rows, or undefined when it has fewer. What is read
 * here is what is read next, and so is in the database's memory by then.
 */
export async function keyAhead(
  bulk: BulkConnection,
  scope: Scope,
  rows: number,
): Promise<string | undefined> {
  if (scope.kind === 'dirty') return firstAhead(bulk, scope, rows, ['dirty_orders']);
  // By the table that gets there first: there may be a ledger of years, and fundings of a day.
  const ahead = await firstAhead(bulk, scope, rows, ['fundings', 'ledger_lines']);
  // Or statuses alone, of lines that were withdrawn.
  return ahead ?? firstAhead(bulk, scope, rows, ['order_statuses']);
}

async function firstAhead(
  bulk: BulkConnection,
  scope: Scope,
  rows: number,
  tables: readonly string[],
): Promise<string | undefined> {
  const parts = tables.map((table) => {
    const { sql, parameters } = from(table, 't', { ...scope, kind: 'all' });
    return {
      sql: `select order_key from (select t.order_key ${sql} order by t.order_key limit 1 offset ${rows - 1}) ${table}_ahead`,
      parameters,
    };
  });
  const [found] = await bulk.rows(
    `select min(order_key) from (${parts.map(({ sql }) => sql).join(' union all ')}) ahead`,
    parts.flatMap(({ parameters }) => parameters),
  );
  return typeof found?.[0] === 'string' ? found[0] : undefined;
}
