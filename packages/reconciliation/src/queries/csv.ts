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

/** What stands before decimals; where it is a comma, values are separated by semicolons. */
export type Decimal = 'point' | 'comma';
const separators = { point: ',', comma: ';' };

/** The first line of a CSV file. */
export function csvHead<Row>(columns: readonly Column<Row>[], decimal: Decimal): string {
  return `${columns.map(({ name }) => name).join(separators[decimal])}\r\n`;
}

/** A line of a CSV file (RFC 4180 but for semicolons), in which no cell is a formula. */
export function csvLine<Row>(columns: readonly Column<Row>[], row: Row, decimal: Decimal): string {
  const cells = columns.map((column) => csvCell(column.kind, column.cell(row), decimal));
  return `${cells.join(separators[decimal])}\r\n`;
}

function csvCell(kind: Column<never>['kind'], value: string, decimal: Decimal): string {
  // A negative amount begins with a sign, too; nothing but a number passes as one.
  if (kind === 'number' && (value === '' || plainNumber.test(value))) {
    return decimal === 'comma' ? value.replace('.', ',') : value;
  }
  const harmless = value.replace(formula, "'");
  return /[";,\r\n]/.test(harmless) || harmless !== value
    ? `"${harmless.replaceAll('"', '""')}"`
    : harmless;
}
