import { isSameName } from './column-names.ts';

/**
 * Why a row is probably not a ledger line: it repeats the header row, has the sum of the rows
 * above, or has a title.
 */
export type ExtraRow = 'header' | 'total' | 'label';

/** A row's trimmed texts; empty if the cell or column does not exist. */
export interface RowTexts {
  /** All cells, in the order of the header row. */
  cells: readonly string[];
  order: string;
  date: string;
  /** The row's amounts; undefined for an empty cell or a text that is not an amount. */
  amounts: readonly (number | undefined)[];
}

/** Running totals of the lines above a row, with separate totals for each column. */
export interface RunningSums {
  /** Number of lines overall, and since the last total or header row. */
  lines: number;
  sectionLines: number;
  columns: readonly ColumnSums[];
  /** Whether the order id of every line above contains a digit. */
  areNumbered: boolean;
  /** Whether the order id of a line above contains a space. */
  haveSpaces: boolean;
}

interface ColumnSums {
  all: number;
  /** Totals since the last total or header row. */
  section: number;
}

export const noSums: RunningSums = {
  lines: 0,
  sectionLines: 0,
  columns: [],
  areNumbered: true,
  haveSpaces: false,
};

/** Returns why a row is probably not a ledger line; undefined if it is one. */
export function extraRowOf(
  row: RowTexts,
  header: readonly string[],
  sums: RunningSums,
): ExtraRow | undefined {
  if (repeatsHeader(row, header)) return 'header';
  if (isTotal(row, sums)) return 'total';
  return isLabel(row) ? 'label' : undefined;
}

/** Returns the running totals after a line. */
export function withLine(sums: RunningSums, { amounts, order }: RowTexts): RunningSums {
  return {
    lines: sums.lines + 1,
    sectionLines: sums.sectionLines + 1,
    columns: amounts.map((amount = 0, at) => {
      const { all = 0, section = 0 } = sums.columns[at] ?? {};
      return { all: all + amount, section: section + amount };
    }),
    areNumbered: sums.areNumbered && /\d/.test(order),
    haveSpaces: sums.haveSpaces || /\s/.test(order),
  };
}

/** Returns the running totals after lines whose orders contain a digit, with one amount each. */
export function withLines(sums: RunningSums, count: number, amount: number): RunningSums {
  const [{ all, section } = { all: 0, section: 0 }] = sums.columns;
  return {
    ...sums,
    lines: sums.lines + count,
    sectionLines: sums.sectionLines + count,
    columns: [{ all: all + amount, section: section + amount }],
  };
}

/** Returns the running totals after a total or header row, where a new section begins. */
export function withSection(sums: RunningSums): RunningSums {
  return {
    ...sums,
    sectionLines: 0,
    columns: sums.columns.map(({ all }) => ({ all, section: 0 })),
  };
}

function repeatsHeader({ cells }: RowTexts, header: readonly string[]): boolean {
  const stated = cells.filter((cell) => cell !== '');
  return (
    stated.length > 1 &&
    header.every((name, at) => name === '' || isSameName(cells[at] ?? '', name))
  );
}

/**
 * Words for totals, used as a hint where a row's form is inconclusive, such as in the first row.
 * `TOTAL-1001` is an order.
 */
const totalWords =
  /^(?:(?:grand|sub|running|net|overall)[ -]?)?totals?(?=$|[\s:])|^(?:sum|summe|gesamt|gesamtsumme|zwischensumme|endsumme|sous-total|totale|totaal|subtotaal|subtotale|suma)(?=$|[\s:])/i;

/**
 * Returns whether a row is a total. It differs in form from the lines above: its order consists of
 * words instead of numbers, or is missing. Without an order, the row must have the sum of the
 * lines; with words, the sum may be wrong. Two orders with the same amount are not totals.
 */
function isTotal(row: RowTexts, sums: RunningSums): boolean {
  const { amounts, cells, order, date } = row;
  if (totalWords.test(order)) return true;
  if (order === '' && date === '' && cells.some((cell) => totalWords.test(cell))) return true;
  const hasAmount = amounts.some((amount) => amount !== undefined);
  if (hasAmount && isWordsAmongNumbers(order, sums)) return true;
  const isUnlike =
    order === ''
      ? date === '' || sums.sectionLines > 1
      : (date === '' || sums.areNumbered) && !/\d/.test(order);
  const stated = amounts.flatMap((amount, at) => (amount === undefined ? [] : [{ amount, at }]));
  return (
    isUnlike &&
    sums.lines > 0 &&
    stated.some(({ amount }) => amount !== 0) &&
    stated.every(({ amount, at }) => {
      const { all = 0, section = 0 } = sums.columns[at] ?? {};
      return [all, section].some((sum) => Math.abs(sum) === Math.abs(amount));
    })
  );
}

/**
 * Returns whether an order consists of words without digits although every line above has a number,
 * or begins with a word and a space, such as `Итого 2026`, although no line above has a space.
 */
function isWordsAmongNumbers(
  order: string,
  { areNumbered, haveSpaces, lines }: RunningSums,
): boolean {
  if (lines === 0 || order === '' || !areNumbered) return false;
  return !/\d/.test(order) || (!haveSpaces && /^\p{L}{2,}\s/u.test(order));
}

/**
 * A title row has text, but no order, or neither an amount nor a date. A balance row has only a
 * title and an amount; with more cells, it is a line without an order.
 */
function isLabel({ cells, order, date, amounts }: RowTexts): boolean {
  const stated = cells.filter((cell) => cell !== '');
  if (!stated.some((cell) => /\p{L}/u.test(cell))) return false;
  const hasAmount = amounts.some((amount) => amount !== undefined);
  if (order === '') {
    const filled = stated.filter((cell) => !/^[-0.,]+$/.test(cell));
    return !hasAmount || (date === '' && filled.length <= 2);
  }
  // In the order column, a word is a title, but a number may be an order.
  return stated.length === 1 && (!/\d/.test(order) || /\s/.test(order));
}
