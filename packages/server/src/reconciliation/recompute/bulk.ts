/** A value in a table: portable between SQLite and PostgreSQL. */
export type Value = string | number | null;
export type ValueRow = Value[];

/** A table to write many rows into at once. */
export interface BulkTable {
  name: string;
  columns: readonly (readonly [name: string, type: 'text' | 'bigint'])[];
  /** Further columns, which have the same value in all rows. */
  same?: Readonly<Record<string, Value>>;
  /** Columns of its primary key: a row that is there already is replaced. */
  key: readonly string[];
  /** When a column last changed: kept in another one while it does not. */
  since?: { column: string; of: string };
}

/** Statements of one short transaction. */
export interface BulkWriter {
  /** @returns how many rows it changed */
  run(sql: string, parameters?: readonly Value[]): Promise<number>;
  upsert(table: BulkTable, rows: readonly ValueRow[]): Promise<void>;
  /** Takes rows away that have these values in these columns; what is not there is no error. */
  remove(table: string, columns: BulkTable['columns'], rows: readonly ValueRow[]): Promise<void>;
}

/**
 * A connection for work on very many rows. Placeholders are `?`; rows are arrays in the order of
 * the statement's columns. What SQLite and PostgreSQL both understand is written once; the rest is
 * here, and one suite holds for both.
 */
export interface BulkConnection {
  readonly kind: 'sqlite' | 'postgres';
  rows(sql: string, parameters?: readonly Value[]): Promise<ValueRow[]>;
  /** All of it or nothing. It may be run again after a conflict: it only speaks to the database. */
  write<Result>(work: (writer: BulkWriter) => Promise<Result>): Promise<Result>;
}

/** A list of texts as a table with a column `value`, from one parameter that is their JSON. */
export function textsOf({ kind }: Pick<BulkConnection, 'kind'>): string {
  return kind === 'sqlite'
    ? '(select value from json_each(?))'
    : '(select value from jsonb_array_elements_text(?::jsonb) as element(value))';
}

/** What a column has after another row came in the place of one. */
export function replaced({ name, since }: BulkTable, column: string): string {
  if (since?.column !== column) return `excluded.${column}`;
  const { of } = since;
  return `case when ${name}.${of} = excluded.${of} then ${name}.${column} else excluded.${column} end`;
}
