/** A column: what its cells hold. `number` is of our own making, `text` is somebody's words. */
export interface Column<Row> {
  name: string;
  kind: 'text' | 'number';
  cell: (row: Row) => string;
}

/**
 * What a spreadsheet takes for the beginning of a formula (OWASP, CSV Injection), with the full-width
 * signs that some of them fold. An order number or a lender's name may begin with it on purpose.
 */
const sign = '[=+\\-@\\t\\r\\n＝＋－＠|]';
/** A spreadsheet whose lists are separated by semicolons begins a cell behind each, quoted or not. */
const formula = new RegExp(`^(?=${sign})|(?<=[;\\t\\r\\n])(?=${sign})`, 'g');
const plainNumber = /^-?\d+(?:\.\d+)?$/;

/** The first line of a CSV file. */
export function csvHead<Row>(columns: readonly Column<Row>[]): string {
  return `${columns.map(({ name }) => name).join(',')}\r\n`;
}

/** A line of a CSV file (RFC 4180), in which no cell is a formula. */
export function csvLine<Row>(columns: readonly Column<Row>[], row: Row): string {
  return `${columns.map((column) => csvCell(column.kind, column.cell(row))).join(',')}\r\n`;
}

function csvCell(kind: Column<never>['kind'], value: string): string {
  // A negative amount begins with a sign, too; nothing but a number passes as one.
  if (kind === 'number' && (value === '' || plainNumber.test(value))) return value;
  const harmless = value.replace(formula, "'");
  return /[",\r\n]/.test(harmless) || harmless !== value
    ? `"${harmless.replaceAll('"', '""')}"`
    : harmless;
}
