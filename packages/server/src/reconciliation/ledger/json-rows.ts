import { type Kysely, type RawBuilder, sql, SqliteAdapter } from 'kysely';
import type { Schema } from '../../store/schema.ts';

/** A column of {@link jsonRows}. */
export type RowColumn = readonly [name: string, type: 'text' | 'bigint'];

/** Whether a database is SQLite; the other one is PostgreSQL. */
export function isSqlite(db: Kysely<Schema>): boolean {
  return db.getExecutor().adapter instanceof SqliteAdapter;
}

/**
 * Many rows as the source of one `insert … select`, in one parameter: neither database takes a
 * parameter for each value of thousands of rows, and preparing such a statement takes longer than
 * running it. Values are text, whole numbers or null.
 */
export function jsonRows(
  db: Kysely<Schema>,
  columns: readonly RowColumn[],
  rows: readonly (readonly (string | number | null)[])[],
): RawBuilder<unknown> {
  const json = JSON.stringify(rows);
  if (isSqlite(db)) {
    const values = columns.map(
      ([name], at) => sql`json_extract(value, ${sql.lit(`$[${at}]`)}) as ${sql.ref(name)}`,
    );
    return sql`(select ${sql.join(values)} from json_each(${json}))`;
  }
  const values = columns.map(
    ([name, type], at) => sql`(value->>${sql.lit(at)})::${sql.raw(type)} as ${sql.ref(name)}`,
  );
  return sql`(select ${sql.join(values)} from jsonb_array_elements(${json}::jsonb) as element(value))`;
}
