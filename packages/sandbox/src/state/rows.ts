import type { SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { Database } from './database.ts';

type Row = Record<string, SQLOutputValue>;

const statements = new WeakMap<Database, Map<string, StatementSync>>();

/** Returns a cached prepared statement: the clock alone is read several times per call. */
function prepared(database: Database, sql: string): StatementSync {
  const known = statements.get(database) ?? new Map<string, StatementSync>();
  statements.set(database, known);
  const statement = known.get(sql) ?? database.prepare(sql);
  known.set(sql, statement);
  return statement;
}

/** Returns the rows of a query, with column names in camel case. `T` is not checked. */
export function findRows<T>(database: Database, sql: string, ...values: SQLInputValue[]): T[] {
  return prepared(database, sql)
    .all(...values)
    .map((row) => inCamelCase(row) as T);
}

/** Runs a statement. @returns the number of rows that it changed */
export function execute(database: Database, sql: string, ...values: SQLInputValue[]): number {
  return Number(prepared(database, sql).run(...values).changes);
}

/** A row to write; the keys are column names in camel case. */
export type RowValues = Readonly<Record<string, SQLInputValue>>;

/** Inserts a row. @returns the row id */
export function insertRow(database: Database, table: string, row: RowValues): number {
  return rowInserter(database, table)(row);
}

/** Returns a function that inserts rows with the same fields; it prepares the statement once. */
export function rowInserter(database: Database, table: string): (row: RowValues) => number {
  let statement: StatementSync | undefined;
  return (row) => {
    if (!statement) {
      const fields = Object.keys(row);
      const parameters = fields.map((field) => `:${field}`);
      statement = database.prepare(
        `INSERT INTO ${table} (${fields.map(columnOf).join(', ')}) VALUES (${parameters.join(', ')})`,
      );
    }
    return Number(statement.run(row).lastInsertRowid);
  };
}

/** Updates the row with an id. */
export function updateRow(
  database: Database,
  table: string,
  id: string | number,
  change: RowValues,
  key = 'id',
): void {
  const assignments = Object.keys(change).map((field) => `${columnOf(field)} = ?`);
  const sql = `UPDATE ${table} SET ${assignments.join(', ')} WHERE ${key} = ?`;
  execute(database, sql, ...Object.values(change), id);
}

function inCamelCase(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column.replaceAll(/_[a-z]/g, (match) => match.charAt(1).toUpperCase()),
      value,
    ]),
  );
}

function columnOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Reads a setting of the sandbox, or its default. `T` is not checked. */
export function readSetting<T>(database: Database, name: string, defaultValue: T): T {
  const row = prepared(database, 'SELECT value FROM settings WHERE name = ?').get(name);
  return typeof row?.value === 'string' ? (JSON.parse(row.value) as T) : defaultValue;
}

export function writeSetting(database: Database, name: string, value: object): void {
  execute(
    database,
    'INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)',
    name,
    JSON.stringify(value),
  );
}

/** Restores the default of a setting. */
export function deleteSetting(database: Database, name: string): void {
  execute(database, 'DELETE FROM settings WHERE name = ?', name);
}
