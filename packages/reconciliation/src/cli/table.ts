import stringWidth from 'string-width';

/** A column of a printed table. */
export interface TableColumn<Row> {
  head: string;
  cell: (row: Row) => string;
  /** Right-aligns amounts. @default 'left' */
  align?: 'left' | 'right';
}

/** Formats a table: columns are as wide as their content, and the last one is not padded. */
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

/** External text may contain control characters, which a terminal would execute. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '\uFFFD');
}
