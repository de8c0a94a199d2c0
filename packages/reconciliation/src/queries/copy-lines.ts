import type { DuckDBConnection } from '../platform/duckdb.ts';
import { sqlText } from '../platform/temporary-files.ts';
import type { ExportRequest, ExportRows } from './export-rows.ts';

/**
 * Writes one line of text for each row to a file, in a thread of the database.
 * @param line SQL for the line of a row `r`
 * @param head first line, which may be absent
 */
export async function copyLines(
  connection: DuckDBConnection,
  path: string,
  { table }: Pick<ExportRequest, 'table'>,
  { rows, order, parameters }: ExportRows,
  { line, head, end }: { line: string; head?: string; end: '\\n' | '\\r\\n' },
): Promise<void> {
  const name = head === undefined ? 'line' : head.replaceAll('"', '""');
  // A row is shorter than its line. The ledger's lines have so many texts that a sort of their rows
  // can exceed the memory limit.
  const source = table === 'lines' ? `(${rows}) r ${order}` : `(from (${rows}) r ${order}) r`;
  // Without a quote character the text is written as it is.
  await connection.run(
    `copy (select ${line} as "${name}" from ${source}) to ${sqlText(path)}
      (format csv, header ${head !== undefined}, quote '', escape '', new_line '${end}', use_tmp_file false)`,
    parameters,
  );
}
