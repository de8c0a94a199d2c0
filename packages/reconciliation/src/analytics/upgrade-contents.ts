import { readFile } from 'node:fs/promises';
import type { DuckDBConnection } from '../platform/duckdb.ts';
import { unpackOldContent } from '../facts/content.ts';
import type { FactStore } from '../facts/store.ts';
import { sqlText, type TemporaryFiles } from '../platform/temporary-files.ts';
import { contentColumns, contentDigest, contentNames, copyContent, ordinalOf } from './content.ts';
import type { Database } from './session.ts';

export interface UpgradeOptions {
  database: Database;
  facts: Pick<FactStore, 'oldContent' | 'replaceOldContent'>;
  files: TemporaryFiles;
  /** Called after each day. @param left number of days that follow */
  onUpgraded?: ((left: number) => void) | undefined;
}

/** Names of the columns in NDJSON, which were those of the service, except for the text amounts. */
const fieldOf = (column: string) =>
  column === 'record_problem'
    ? 'problem'
    : column
        .replace('_text', '_amount')
        .replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());

const lineColumns = contentNames
  .filter((name) => name !== 'ordinal')
  .map((name) => ({ name, field: fieldOf(name), type: contentColumns[name] }));

/**
 * Replaces contents that version 0.2.0 wrote by the same records in Parquet, one day at a time, so
 * that an interruption loses nothing.
 */
export async function upgradeContents(options: UpgradeOptions): Promise<void> {
  const { database, facts, files, onUpgraded } = options;
  for (;;) {
    const old = await facts.oldContent();
    if (old === undefined) return;
    const text = unpackOldContent(old);
    const [content, digest] = await files.with(
      [{ name: 'old', content: text, ending: '.ndjson' }],
      ([path = '']) => database.read((connection) => converted(connection, path, files)),
    );
    await facts.replaceOldContent(old, content, digest);
    onUpgraded?.(old.left - 1);
  }
}

/** Returns the records of NDJSON as Parquet, with their digest. */
async function converted(
  connection: DuckDBConnection,
  lines: string,
  files: TemporaryFiles,
): Promise<[content: Uint8Array, digest: string]> {
  // The hash in a line has 64 digits, of which a content keeps 32.
  const types = lineColumns.map(
    ({ field, type }) => `${field}: '${type === 'UUID' ? 'VARCHAR' : type}'`,
  );
  const columns = lineColumns.map(({ name, field, type }) =>
    type === 'UUID' ? `left(${field}, 32)::uuid as ${name}` : `${field} as ${name}`,
  );
  const rows = `(select *, ${ordinalOf} as ordinal from (
    select ${columns.join(', ')} from read_json(${sqlText(lines)}, columns = {${types.join(', ')}},
      format = 'newline_delimited')))`;
  const path = files.path('content', '.parquet');
  try {
    await connection.run(copyContent(rows, path));
    const found = await connection.runAndReadAll(
      `select ${contentDigest} from read_parquet(${sqlText(path)})`,
    );
    return [await readFile(path), String(found.getRows()[0]?.[0])];
  } finally {
    await files.remove([path]);
  }
}
