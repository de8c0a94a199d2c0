/** A column of a table for a person. */
export interface TableColumn<Row> {
  head: string;
  cell: (row: Row) => string;
  /** Amounts stand under each other by their last digit. @default 'left' */
  align?: 'left' | 'right';
}

/** Lines of a table: each column as wide as what is in it, the last one as long as it likes. */
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

/** What comes from outside may hold control characters; a terminal would obey them. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '\uFFFD');
}

const wide =
  /[\p{Emoji_Presentation}\ufe0f\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Made when a table is: it takes longer than the start of a command that has none. */
let segmenter: Intl.Segmenter | undefined;

/** Places a text takes in a terminal: none for a combining sign, two for one of East Asia or an emoji. */
function widthOf(text: string): number {
  segmenter ??= new Intl.Segmenter();
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}
