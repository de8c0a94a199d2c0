import type { LineEnds } from './line-ends.ts';
import type { RecordForm } from './records.ts';

/** How lines are written to a temporary file. DuckDB holds one row group in memory. */
export const PARQUET_OPTIONS =
  '(format parquet, compression zstd, row_group_size 40960, use_tmp_file false)';

/** Lines that SQL has read from a file, and the numbers of lines left to the reader. */
export interface PlainLines {
  /** SHA-256 of the column names of the first record. */
  columns: string;
  /** The file's form, as detected from its beginning. */
  form: RecordForm;
  newline: LineEnds['newline'];
  /** Number of plain lines, and how many of them have no id. */
  count: number;
  unnamed: number;
  /** The reader reads all lines before this number. */
  from: number;
  /** Numbers of all other lines for the reader, ascending. */
  others: readonly number[];
  /** In a table: for each of the `others`, the count and sum of the plain rows above it. */
  above: readonly { count: number; amount: number }[];
}

/** Replaces plain lines with blank ones to preserve line numbers. Ends after the last line for the reader. */
export async function* withoutPlain(
  text: AsyncIterable<string>,
  { from, newline, others }: PlainLines,
): AsyncGenerator<string> {
  const last = others.at(-1) ?? from - 1;
  let number = 1;
  let next = 0;
  for await (const chunk of text) {
    let kept = '';
    for (let at = 0; at < chunk.length && number <= last;) {
      const end = chunk.indexOf('\n', at) + 1;
      const isEnded = end > 0;
      const isKept = number < from || others[next] === number;
      if (isKept) kept += isEnded ? chunk.slice(at, end) : chunk.slice(at);
      else if (isEnded) kept += newline;
      at = isEnded ? end : chunk.length;
      if (!isEnded) break;
      if (others[next] === number) next += 1;
      number += 1;
    }
    yield kept;
    if (number > last) return;
  }
}
