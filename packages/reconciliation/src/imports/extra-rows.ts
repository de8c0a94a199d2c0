/**
 * Why a row of a table is probably no line: it repeats the head, states the sum of rows above it, or
 * holds a title.
 */
export type ExtraRow = 'head' | 'total' | 'label';

/** The texts of a row, trimmed; blank for a cell or a column that is not there. */
export interface RowTexts {
  /** All cells, in the order of the head. */
  cells: readonly string[];
  order: string;
  date: string;
  /** Amounts as the row states them; undefined for a blank cell and for a text that is no amount. */
  amounts: readonly (number | undefined)[];
}

/** What the lines above a row add up to. Each column has its own sums. */
export interface RunningSums {
  /** Number of lines in all, and below the last total or head. */
  lines: number;
  sectionLines: number;
  columns: readonly ColumnSums[];
  /** Whether each order of these lines has a digit. */
  areNumbered: boolean;
}

interface ColumnSums {
  all: number;
  /** Below the last total or head. */
  section: number;
}

export const noSums: RunningSums = { lines: 0, sectionLines: 0, columns: [], areNumbered: true };

/** Returns why a row is probably no line; undefined for a line. */
export function extraRowOf(
  row: RowTexts,
  head: readonly string[],
  sums: RunningSums,
): ExtraRow | undefined {
  if (repeatsHead(row, head)) return 'head';
  if (isTotal(row, sums)) return 'total';
  return isLabel(row) ? 'label' : undefined;
}

/** Returns the sums below a line. */
export function withLine(sums: RunningSums, { amounts, order }: RowTexts): RunningSums {
  return {
    lines: sums.lines + 1,
    sectionLines: sums.sectionLines + 1,
    columns: amounts.map((amount = 0, at) => {
      const { all = 0, section = 0 } = sums.columns[at] ?? {};
      return { all: all + amount, section: section + amount };
    }),
    areNumbered: sums.areNumbered && /\d/.test(order),
  };
}

/** Returns the sums below a total or a head, where a section begins. */
export function withSection(sums: RunningSums): RunningSums {
  return {
    ...sums,
    sectionLines: 0,
    columns: sums.columns.map(({ all }) => ({ all, section: 0 })),
  };
}

function repeatsHead({ cells }: RowTexts, head: readonly string[]): boolean {
  const stated = cells.filter((cell) => cell !== '');
  return (
    stated.length > 1 &&
    head.every((name, at) => name === '' || (cells[at] ?? '').toLowerCase() === name.toLowerCase())
  );
}

/** Words of totals in the place of an order. `TOTAL-1001` is an order. */
const totalWords =
  /^(?:(?:grand|sub|running|net|overall)[ -]?)?totals?(?=$|[\s:])|^(?:sum|summe|gesamt|gesamtsumme|zwischensumme|endsumme|sous-total|totale|totaal|subtotaal|subtotale|suma)(?=$|[\s:])/i;

/**
 * A total has the amounts of the lines above it, and is unlike them: it has no order, or a word where
 * they have a number. Two orders of one amount are none.
 */
function isTotal({ amounts, cells, order, date }: RowTexts, sums: RunningSums): boolean {
  if (totalWords.test(order)) return true;
  if (order === '' && date === '' && cells.some((cell) => totalWords.test(cell))) return true;
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
 * A title has a text, and not what each line has: an order, and an amount or a date. Beside the amount
 * of a balance there is nothing but its title; a row with more is a line that lacks its order.
 */
function isLabel({ cells, order, date, amounts }: RowTexts): boolean {
  const stated = cells.filter((cell) => cell !== '');
  if (!stated.some((cell) => /\p{L}/u.test(cell))) return false;
  const hasAmount = amounts.some((amount) => amount !== undefined);
  if (order === '') {
    const filled = stated.filter((cell) => !/^[-0.,]+$/.test(cell));
    return !hasAmount || (date === '' && filled.length <= 2);
  }
  // In the column of the order, a word is a title and a number may be an order.
  return stated.length === 1 && (!/\d/.test(order) || /\s/.test(order));
}
