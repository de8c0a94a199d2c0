import { guardFormulas, withoutGuard } from '@financing-checkout/contract/money';
import { type CellValue, type ColumnDef, writeXlsxStream } from 'hucre/xlsx';
import { ZonedTime } from '@financing-checkout/reconciliation-rules/calendar';
import type { ColumnKind } from '@financing-checkout/contract/reconciliation';
import type { ColumnKind as TableKind } from './export-tables.ts';
import { decimal as decimalText, digitsOf } from '../basis/reasons.ts';
import { offsetText } from './zone-offsets.ts';

interface SheetColumn {
  name: string;
  kind: ColumnKind | TableKind;
}

/**
 * Values by column name. Amounts are integers in minor units of the row's `currency`, timestamps
 * are milliseconds since 1970 or ISO 8601.
 */
type SheetRow = Readonly<Record<string, unknown>>;

interface Sheet {
  /** Name of the sheet. Additional sheets of a long table add a number. */
  name: string;
  columns: readonly SheetColumn[];
  /** IANA name of the time zone of all times. */
  zone: string;
}

/**
 * Yields an .xlsx file with a frozen header row. An Excel sheet has at most 1,048,576 rows: more rows
 * go to additional sheets.
 */
export function sheetBytes(
  { name, columns, zone }: Sheet,
  pages: AsyncIterable<readonly SheetRow[]>,
): AsyncIterable<Uint8Array> {
  const times = new ZonedTime(zone);
  // The writer calls this for each row of a column.
  let currency = '';
  const rows = async function* (): AsyncGenerator<CellValue[]> {
    for await (const page of pages) {
      for (const row of page) {
        currency = textOf(row.currency);
        yield columns.map(({ name: of, kind }) => cellOf(kind, row[of], { currency, times }));
      }
    }
  };
  return writeXlsxStream(rows(), {
    name,
    columns: columns.map((column) => definitionOf(column, () => currency)),
    freezePane: { rows: 1 },
  });
}

const formats: Partial<Record<SheetColumn['kind'], string>> = {
  // Text format: an edited cell remains text, so that "00012345" keeps its zeros.
  text: '@',
  count: '0',
  moment: 'yyyy-mm-dd hh:mm:ss',
  day: 'yyyy-mm-dd',
};
const widths: Partial<Record<SheetColumn['kind'], number>> = {
  text: 22,
  word: 18,
  amount: 16,
  moment: 20,
  day: 12,
};

function definitionOf({ name, kind }: SheetColumn, currency: () => string): ColumnDef {
  const numFmt = formats[kind];
  const column = {
    header: name,
    width: Math.max(widths[kind] ?? 0, name.length + 2),
    numFmt,
  };
  if (kind !== 'amount') return column;
  return {
    ...column,
    get numFmt() {
      return amountFormat(currency());
    },
  };
}

/** Returns the number format of amounts. Spreadsheets use the separators of their own locale. */
function amountFormat(currency: string): string {
  const digits = digitsOf(currency);
  return digits === 0 ? '#,##0' : `#,##0.${'0'.repeat(digits)}`;
}

function cellOf(
  kind: SheetColumn['kind'],
  value: unknown,
  { currency, times }: { currency: string; times: ZonedTime },
): CellValue {
  if (value === null || value === undefined || value === '') return null;
  switch (kind) {
    case 'text':
      return textCell(textOf(value));
    case 'word':
    case 'yesNo':
      return textOf(value);
    case 'amount':
      return numberCell(decimalText(BigInt(textOf(value)), currency));
    case 'count':
    case 'decimal':
    case 'percent':
      return numberCell(textOf(value));
    case 'moment':
      return new Date(momentOf(value) + times.offsetAt(momentOf(value)));
    case 'offset':
      return `UTC${offsetText(times.offsetAt(momentOf(value)))}`;
    case 'day':
      return new Date(`${textOf(value)}T00:00:00Z`);
  }
}

const momentOf = (value: unknown) =>
  typeof value === 'string' ? Date.parse(value) : Number(value);

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return value.toString();
  throw new TypeError('A cell is neither text nor a number.');
}

/** Maximum number of characters in an Excel cell. */
const MAX_TEXT = 32_767;

/**
 * Returns text that is never a formula. Importing removes an apostrophe before a sign, and
 * spreadsheets read `_x0041_` as "A", so text that contains either is escaped.
 */
function textCell(text: string): string {
  const guarded = withoutGuard(text) === text ? text : guardFormulas(text);
  return guarded.slice(0, MAX_TEXT).replace(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_');
}

/** Spreadsheets keep 15 digits of a number, so longer numbers are written as text to stay exact. */
const MAX_DIGITS = 15;

function numberCell(written: string): CellValue {
  const digits = written.replace(/\D/g, '').replace(/^0+/, '');
  return digits.length > MAX_DIGITS ? written : Number(written);
}
