import type { FlatRow, FlatValue } from '@financing-checkout/kit';
import { type CsvCell, type CsvDecimal, csvLine } from '@financing-checkout/contract/money';
import { ZonedTime } from '@financing-checkout/reconciliation-rules/calendar';
import type { ColumnKind } from '@financing-checkout/contract/reconciliation';
import { decimal as decimalText } from '../basis/reasons.ts';
import { sheetBytes } from './sheet-file.ts';
import { type CsvTimes, offsetText } from './zone-offsets.ts';

export interface ListWriting {
  format: 'csv' | 'ndjson' | 'xlsx';
  /** Whether CSV starts with a byte order mark, without which Excel does not recognize UTF-8. */
  bom: boolean;
  /** Decimal separator of CSV. */
  decimal: CsvDecimal;
  /** Format of times in CSV. */
  times: CsvTimes;
  /** IANA name of the time zone of times in CSV and XLSX. NDJSON uses UTC, like the API. */
  zone: string;
}

/** A list: its name as a sheet, and its columns in their order. */
export interface ListedTable {
  name: string;
  columns: readonly { name: string; kind: ColumnKind }[];
}

/** Yields a list as the bytes of a file. */
export async function* listBytes(
  table: ListedTable,
  pages: AsyncIterable<readonly FlatRow[]>,
  writing: ListWriting,
): AsyncGenerator<Uint8Array> {
  if (writing.format === 'xlsx') {
    const { zone } = writing;
    const columns = columnsOf(table);
    const zoned = async function* () {
      for await (const rows of pages) yield rows.map((row) => ({ zone, ...row }));
    };
    yield* sheetBytes({ name: table.name, columns, zone }, zoned());
    return;
  }
  const encoder = new TextEncoder();
  for await (const text of listText(table, pages, writing)) yield encoder.encode(text);
}

/**
 * Returns the columns of a list with their types. In a list with times, the last column is the time
 * zone.
 */
function columnsOf({ columns }: ListedTable): ListedTable['columns'] {
  const hasTimes = columns.some(({ kind }) => kind === 'moment');
  return hasTimes ? [...columns, { name: 'zone', kind: 'text' }] : columns;
}

async function* listText(
  table: ListedTable,
  pages: AsyncIterable<readonly FlatRow[]>,
  { bom, decimal, format, times, zone }: ListWriting,
): AsyncGenerator<string> {
  if (format === 'ndjson') {
    for await (const rows of pages) yield rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    return;
  }
  const columns = columnsOf(table);
  const inZone = timeWriter(zone, times);
  const head = columns.map(({ name }) => text(name));
  yield (bom ? '\uFEFF' : '') + csvLine(head, decimal);
  for await (const rows of pages) {
    yield rows
      .map((row) => {
        const values: FlatRow = { zone, ...row };
        const cells = columns.map(({ name, kind }) => cellOf(kind, values[name], values, inZone));
        return csvLine(cells, decimal);
      })
      .join('');
  }
}

const text = (value: string): CsvCell => ({ kind: 'text', value });

/** Formats timestamps in a zone: each belongs to exactly one day of the merchant's accounts. */
function timeWriter(zone: string, times: CsvTimes): (iso: string) => string {
  const zoned = new ZonedTime(zone);
  return function inZone(iso) {
    const time = Date.parse(iso);
    const offset = zoned.offsetAt(time);
    const local = new Date(time + offset).toISOString().slice(0, 19);
    return times === 'spreadsheet' ? local.replace('T', ' ') : local + offsetText(offset);
  };
}

function cellOf(
  kind: ColumnKind,
  value: FlatValue,
  { currency }: FlatRow,
  inZone: (iso: string) => string,
): CsvCell {
  if (value === undefined) return text('');
  switch (kind) {
    case 'amount':
      return {
        kind: 'number',
        value: decimalText(BigInt(value), String(currency ?? '')),
      };
    case 'count':
    case 'decimal':
    case 'percent':
      return { kind: 'number', value: String(value) };
    case 'moment':
      return text(inZone(String(value)));
    case 'yesNo':
    case 'text':
    case 'word':
    case 'day':
      return text(String(value));
  }
}
