import stringWidth from 'string-width';
import type { Shell } from './shell.ts';

export interface TableColumn<Row> {
  head: string;
  cell: (row: Row) => string;
  /** Amounts are right-aligned, so that their digits line up. @default 'left' */
  align?: 'left' | 'right';
}

/**
 * Returns the lines of a table. Each column is as wide as its longest cell; the last column has no
 * padding.
 */
export function tableLines<Row>(
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
): string[] {
  const cells = [
    columns.map(({ head }) => head),
    ...rows.map((row) => columns.map(({ cell }) => printable(cell(row)))),
  ];
  const widths = columns.map((_, index) =>
    Math.max(...cells.map((line) => stringWidth(line[index] ?? ''))),
  );
  return cells.map((line) =>
    line
      .map((text, index) => {
        const blank = ' '.repeat((widths[index] ?? 0) - stringWidth(text));
        return columns[index]?.align === 'right' ? blank + text : text + blank;
      })
      .join('  ')
      .trimEnd(),
  );
}

export function printTable<Row>(
  shell: Pick<Shell, 'print'>,
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
): void {
  for (const line of tableLines(columns, rows)) shell.print(line);
}

/** Prints one response as JSON or as human-readable lines. */
export function printAnswer<Answer>(
  shell: Pick<Shell, 'print'>,
  json: boolean | undefined,
  answer: Answer,
  linesOf: (answer: Answer) => readonly string[],
): void {
  if (json) shell.print(JSON.stringify(answer));
  else for (const line of linesOf(answer)) shell.print(printable(line));
}

/**
 * Prints the rows of all pages, each as JSON or as human-readable lines. @param nothing message for
 * an empty list
 */
export async function printEach<Row>(
  shell: Pick<Shell, 'print' | 'say'>,
  json: boolean | undefined,
  rows: AsyncIterable<Row> | Iterable<Row>,
  linesOf: (row: Row) => readonly string[],
  nothing: string,
): Promise<void> {
  let isEmpty = true;
  for await (const row of rows) {
    isEmpty = false;
    printAnswer(shell, json, row, linesOf);
  }
  if (isEmpty) shell.say(nothing);
}

/** Replaces control characters in untrusted text, because a terminal would interpret them. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '\uFFFD');
}
