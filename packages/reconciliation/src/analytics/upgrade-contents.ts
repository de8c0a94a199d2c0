import { readFile } from 'node:fs/promises';
import type { DuckDBConnection } from '../platform/duckdb.ts';
import { unpackOldContent } from '../facts/content.ts';
import type { FactStore, Fence, OldContent } from '../facts/store.ts';
import { sqlText, type TemporaryFiles } from '../platform/temporary-files.ts';
import { contentColumns, contentDigest, contentNames, copyContent, ordinalOf } from './content.ts';
import type { Database } from './session.ts';

/** A database that can read old contents. */
export interface ContentReader {
  database: Database;
  files: TemporaryFiles;
}

export interface UpgradeOptions extends ContentReader {
  facts: Pick<FactStore, 'daysWithOldContent' | 'oldContent' | 'replaceOldContent'>;
  fence: Fence;
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
 * Writes contents of version 0.2.0 in Parquet, one day at a time, so that an interruption loses
 * nothing. A sync needs this first: it compares a day with a content in Parquet.
 * @throws {LeaseLostError}, {ContentError}
 */
export async function upgradeContents(options: UpgradeOptions): Promise<void> {
  const { facts, fence, onUpgraded } = options;
  const days = await facts.daysWithOldContent();
  for (const [at, day] of days.entries()) {
    const old = await facts.oldContent(day);
    if (old !== undefined) {
      const { content, digest } = await readOldContent(options, old);
      await facts.replaceOldContent(fence, old, content, digest);
    }
    onUpgraded?.(days.length - at - 1);
  }
}

/** Returns the records of an old content as Parquet, with their digest. @throws {ContentError} */
export function readOldContent(
  { database, files }: ContentReader,
  old: OldContent,
): Promise<{ content: Uint8Array; digest: string }> {
  const text = unpackOldContent(old);
  return files.with([{ name: 'old', content: text, ending: '.ndjson' }], ([path = '']) =>
    database.read((connection) => converted(connection, path, files)),
  );
}

/** Returns the records of NDJSON as Parquet, with their digest. */
async function converted(
  connection: DuckDBConnection,
  lines: string,
  files: TemporaryFiles,
): Promise<{ content: Uint8Array; digest: string }> {
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
    return { content: await readFile(path), digest: String(found.getRows()[0]?.[0]) };
  } finally {
    await files.remove([path]);
  }
}
