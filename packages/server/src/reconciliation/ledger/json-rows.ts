import { CompiledQuery, type Kysely, type RawBuilder, sql, SqliteAdapter } from 'kysely';
import type { Schema } from '../../store/schema.ts';

/** A column of rows. */
export type RowColumn = readonly [name: string, type: 'text' | 'bigint'];

/** Whether a database is SQLite; the other one is PostgreSQL. */
export function isSqlite(db: Kysely<Schema>): boolean {
  return db.getExecutor().adapter instanceof SqliteAdapter;
}

/** A value of a row. */
export type RowValue = string | number | null;

/** Rows of one statement on SQLite: with more of them it is not faster. */
const ROWS_AT_ONCE = 50;

/**
 * Inserts rows, in a transaction. SQLite takes a third of the time for values that are bound than
 * for the same ones in JSON; on the way to PostgreSQL one statement is worth more.
 */
export async function insertRows(
  tx: Kysely<Schema>,
  table: keyof Schema,
  columns: readonly RowColumn[],
  rows: readonly (readonly RowValue[])[],
): Promise<void> {
  if (!isSqlite(tx)) {
    const names = sql.join(columns.map(([name]) => sql.ref(name)));
    await sql`
      insert into ${sql.table(table)} (${names}) select ${names} from ${jsonRows(tx, columns, rows)}
      as added
    `.execute(tx);
    return;
  }
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const some = rows.slice(at, at + ROWS_AT_ONCE);
    // Not through the builder, which would take longer than the statement.
    await tx.executeQuery(CompiledQuery.raw(insertOf(table, columns, some.length), some.flat()));
  }
}

function insertOf(table: string, columns: readonly RowColumn[], count: number): string {
  const row = `(${columns.map(() => '?').join(', ')})`;
  const names = columns.map(([name]) => name).join(', ');
  return `insert into ${table} (${names}) values ${Array<string>(count).fill(row).join(', ')}`;
}

/**
 * Many rows as the source of one `insert … select`, in one parameter: neither database takes a
 * parameter for each value of thousands of rows, and preparing such a statement takes longer than
 * running it. Values are text, whole numbers or null.
 */
export function jsonRows(
  db: Kysely<Schema>,
  columns: readonly RowColumn[],
  rows: readonly (readonly RowValue[])[],
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
