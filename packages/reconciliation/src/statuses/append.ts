import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  BIGINT,
  BOOLEAN,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBType,
  type DuckDBValue,
  DOUBLE,
  INTEGER,
  UINTEGER,
  VARCHAR,
} from '../platform/duckdb.ts';

/** The type of a column to append; values of a `bigint` column are integers. */
export type ColumnKind = 'text' | 'bigint' | 'integer' | 'uinteger' | 'double' | 'boolean';

const types: Record<ColumnKind, DuckDBType> = {
  text: VARCHAR,
  bigint: BIGINT,
  integer: INTEGER,
  uinteger: UINTEGER,
  double: DOUBLE,
  boolean: BOOLEAN,
};

/** A value to append. */
export type Cell = string | number | boolean | null;

/** Maximum number of rows in a DuckDB vector. */
const CHUNK = 2_048;

/**
 * Appends columns of rows to a table in the connection's transaction. Serves requests between
 * chunks.
 */
export async function appendColumns(
  connection: DuckDBConnection,
  table: { name: string; kinds: readonly ColumnKind[]; temporary?: boolean },
  columns: readonly (readonly Cell[])[],
): Promise<void> {
  const [first = []] = columns;
  if (first.length === 0) return;
  const appender = table.temporary
    ? await connection.createAppender(table.name, 'main', 'temp')
    : await connection.createAppender(table.name);
  try {
    const columnTypes = table.kinds.map((kind) => types[kind]);
    for (let start = 0; start < first.length; start += CHUNK) {
      if (start > 0) await nextTurn();
      const count = Math.min(CHUNK, first.length - start);
      const chunk = DuckDBDataChunk.create(columnTypes, count);
      chunk.setColumns(
        columns.map((column, index) =>
          valuesOf(column.slice(start, start + count), table.kinds[index] ?? 'text'),
        ),
      );
      appender.appendDataChunk(chunk);
    }
    appender.flushSync();
  } finally {
    appender.closeSync();
  }
}

function valuesOf(values: readonly Cell[], kind: ColumnKind): DuckDBValue[] {
  if (kind !== 'bigint') return values as DuckDBValue[];
  return values.map((value) => (value === null ? null : BigInt(value)));
}
