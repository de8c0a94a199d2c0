import { withoutGuard } from '@financing-checkout/contract/money';
import { readXlsx } from 'hucre/xlsx';
import { expect, test } from 'vitest';
import { sheetBytes } from './sheet-file.ts';

const columns = [
  { name: 'order', kind: 'text' },
  { name: 'currency', kind: 'text' },
  { name: 'amount', kind: 'amount' },
  { name: 'count', kind: 'count' },
  { name: 'at', kind: 'moment' },
  { name: 'utc_offset', kind: 'offset' },
  { name: 'day', kind: 'day' },
] as const;

/** Returns the cells of a sheet below its header row, and their number formats. */
async function read(rows: readonly object[], zone = 'UTC') {
  const pages = async function* () {
    yield await Promise.resolve(rows.map((row) => ({ ...row })));
  };
  const pieces: Uint8Array[] = [];
  for await (const piece of sheetBytes({ name: 'lines', columns, zone }, pages())) {
    pieces.push(piece);
  }
  const { sheets } = await readXlsx(Buffer.concat(pieces), { readStyles: true });
  const [sheet] = sheets;
  if (sheet === undefined) throw new TypeError('There is no sheet.');
  const formatOf = (row: number, column: number) =>
    sheet.cells?.get(`${row},${column}`)?.style?.numFmt;
  return { sheet, rows: sheet.rows.slice(1), formatOf };
}

test.each([
  ['HUF', 12_345_000, 123_450, '#,##0.00'],
  ['JPY', 12_345, 12_345, '#,##0'],
  ['KWD', 1, 0.001, '#,##0.000'],
  ['USD', -1_050, -10.5, '#,##0.00'],
  // Spreadsheets would round these amounts.
  ['USD', 1_234_567_890_123_456n, '12345678901234.56', '#,##0.00'],
  ['USD', '99999999999999999999', '999999999999999999.99', '#,##0.00'],
])(
  'writes %s %s as %s with the decimals of the currency',
  async (currency, amount, cell, format) => {
    const others = { currency: 'BHD', amount: 1 };
    const { rows, formatOf } = await read([others, { currency, amount }, others]);
    expect(rows.map((row) => row[2])).toEqual([0.001, cell, 0.001]);
    expect([1, 2, 3].map((row) => formatOf(row, 2))).toEqual(['#,##0.000', format, '#,##0.000']);
  },
);

test.each(['00012345', '=1+1', '-7', "'00123", "a,'=b", '_x0041_', '_x005F_x0041_', ' A ', '<&>'])(
  'writes the ID %s as text',
  async (order) => {
    const { rows, formatOf } = await read([{ order }]);
    const [cell] = rows[0] ?? [];
    expect([typeof cell, formatOf(1, 0)]).toEqual(['string', '@']);
    // An import removes the guard's apostrophe.
    expect(withoutGuard(String(cell))).toBe(order);
  },
);

test('writes dates in the zone, and distinguishes a repeated hour by its offset', async () => {
  const at = [Date.UTC(2026, 10, 1, 5, 30, 1, 5), Date.UTC(2026, 10, 1, 6, 30, 1, 5)];
  const rows = at.map((moment) => ({ at: moment, utc_offset: moment, day: '2026-11-01' }));
  const found = await read(rows, 'America/New_York');
  const local = new Date('2026-11-01T01:30:01.005Z');
  expect(found.rows.map((row) => row.slice(4))).toEqual([
    [local, 'UTC-04:00', new Date('2026-11-01')],
    [local, 'UTC-05:00', new Date('2026-11-01')],
  ]);
  expect([found.formatOf(1, 4), found.formatOf(1, 6)]).toEqual([
    'yyyy-mm-dd hh:mm:ss',
    'yyyy-mm-dd',
  ]);
});

test('freezes the header row, and leaves cells without a value empty', async () => {
  const { sheet, rows } = await read([{ count: 3, day: undefined, amount: null }]);
  expect(sheet.freezePane).toMatchObject({ rows: 1 });
  expect(sheet.rows[0]).toEqual(columns.map(({ name }) => name));
  expect(rows[0]?.filter((cell) => cell !== null)).toEqual([3]);
});

test('keeps the leading zeros of an order that a person enters in an empty cell', async () => {
  const { rows, formatOf } = await read([{ order: '', currency: 'USD' }]);
  expect([rows[0]?.[0], formatOf(1, 0)]).toEqual([null, '@']);
});
