import stringWidth from 'string-width';

/** A column of a printed table. */
export interface TableColumn<Row> {
  head: string;
  cell: (row: Row) => string;
  /** Amounts are aligned right, by their last digit. @default 'left' */
  align?: 'left' | 'right';
}

/** Returns the lines of a table. Each column is as wide as its longest cell; the last has no padding. */
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

/** Replaces control characters: a terminal would obey those of untrusted text. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '\uFFFD');
}
