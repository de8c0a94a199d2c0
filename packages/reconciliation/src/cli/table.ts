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
    Math.max(...cells.map((line) => widthOf(line[index] ?? ''))),
  );
  return cells.map((line) =>
    line
      .map((text, index) => {
        const blank = ' '.repeat((widths[index] ?? 0) - widthOf(text));
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

const wide =
  /[\p{Emoji_Presentation}\ufe0f\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Created on first use: it costs more than the start of a command without a table. */
let segmenter: Intl.Segmenter | undefined;

/**
 * Returns the width of a text in a terminal: 0 for a combining mark, 2 for an East Asian character
 * or emoji.
 */
function widthOf(text: string): number {
  segmenter ??= new Intl.Segmenter();
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}
