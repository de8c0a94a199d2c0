import { expect, test } from 'vitest';
import { NOW, openLedger } from '../../keep/ledger.fixture.ts';
import { row, text, workbookEntries, zipOf } from './workbook.fixture.ts';

const options = { units: 'major' } as const;
const columns = ['merchantOrderId', 'type', 'amount', 'currency', 'date'].map(text);
const header = row(3, ...columns);
/** A line as stored by Excel: shared strings, numbers, and dates as numbers with a style. */
const line = (number: number, order: string, amount = '<c><v>12.5</v></c>') =>
  row(number, order, '<c t="s"><v>0</v></c>', amount, text('USD'), '<c s="1"><v>46083.5</v></c>');
const workbook = (sheets: Readonly<Record<string, string>>) => zipOf(workbookEntries(sheets));

test('reads a sheet by its cell types, and reports row numbers of the sheet', async () => {
  const { run, lines, ask } = await openLedger();
  const sheet = (last: string) =>
    row(1, text('A title, above the header row')) +
    header +
    line(5, text('00012345')) +
    line(6, '<c><v>77</v></c>', '<c><f>[1]Other!A1*2</f><v>25</v></c>') +
    last;
  const wrong = workbook({ Lines: sheet(line(9, text('A-1'), text('twelve'))) });
  expect(await run(wrong, options)).toMatchObject({ errors: [{ line: 9, field: 'amount' }] });
  const file = workbook({ Lines: sheet('') });
  expect(await run(file, options)).toMatchObject({ errors: [], added: 2 });
  expect(await ask('select merchant_order_id from ledger_lines order by 1')).toEqual([
    { merchant_order_id: '00012345' },
    { merchant_order_id: '77' },
  ]);
  expect(await lines()).toMatchObject([
    { amount: 1250, at: '2026-03-02T12:00:00.000Z' },
    { amount: 2500, at: '2026-03-02T12:00:00.000Z' },
  ]);
  expect(await run(file, options)).toMatchObject({ added: 0, repeated: 2 });
});

test('rejects a numeric ID with more digits than Excel stores', async () => {
  const { run } = await openLedger();
  const file = workbook({ Lines: header + line(4, '<c><v>1234567890123450</v></c>') });
  expect(await run(file, options)).toMatchObject({
    errors: [{ line: 4, field: 'order', code: 'spreadsheet-value' }],
  });
});

test('reads a row whose last cells are empty, as a line without an id', async () => {
  const { run } = await openLedger();
  const ids = row(3, ...columns, text('transactionId'));
  const file = workbook({ Lines: ids + line(4, text('A-1')) });
  expect(await run(file, options)).toMatchObject({ errors: [], added: 1 });
});

test('asks which of several sheets to import', async () => {
  const { run } = await openLedger();
  const file = workbook({ Summary: row(1, text('x')), Lines: header + line(4, text('A-1')) });
  const refused = await run(file, options);
  expect(refused.errors[0]?.message).toContain('set `sheet` to one of "Summary", "Lines"');
  const missing = await run(file, { ...options, sheet: 'Line' });
  expect(missing.errors[0]?.message).toContain('no such sheet');
  for (const sheet of ['Lines', '2']) {
    const report = await run(file, { ...options, sheet, dryRun: true });
    expect(report).toMatchObject({ errors: [], added: 1 });
  }
});

test('reads the only sheet with content, and ignores the empty ones', async () => {
  const { run } = await openLedger();
  const file = workbook({
    Sheet1: '',
    Styled: row(1, '<c s="1"/>'),
    Lines: header + line(4, text('A-1')),
  });
  expect(await run(file, { ...options, dryRun: true })).toMatchObject({ errors: [], added: 1 });
  const empty = await run(workbook({ Sheet1: '', Sheet2: '' }), options);
  expect(empty.errors[0]?.message).toContain('The file is empty');
});

const lines = workbookEntries({ Lines: header + line(4, text('A-1')) });
const bomb = 'A'.repeat(8_388_608);

test.each([
  ['that states a thousand times its size', zipOf({ ...lines, 'xl/media/a': bomb }), /unpacks/],
  [
    'whose sheet is larger than stated',
    zipOf({
      ...lines,
      'xl/worksheets/sheet1.xml': { content: `<worksheet>${bomb}`, stated: 1_000 },
    }),
    /list of contents/,
  ],
  [
    'whose shared texts are larger than stated',
    zipOf({ ...lines, 'xl/sharedStrings.xml': { content: `<sst>${bomb}`, stated: 1_000 } }),
    /list of contents/,
  ],
  [
    'that does not state the size of an entry',
    zipOf({ ...lines, 'xl/sharedStrings.xml': { content: '<sst/>', stated: 0 } }),
    /list of contents/,
  ],
  [
    'with thousands of entries',
    zipOf({
      ...lines,
      ...Object.fromEntries(Array.from({ length: 1_100 }, (_, at) => [`xl/media/${at}`, 'a'])),
    }),
    /unpacks/,
  ],
  ['that is cut off', zipOf(lines).subarray(0, -100), /list of contents/],
  ['without a workbook', zipOf({ 'xl/a.xml': '<a/>' }), /cannot be read/],
])('refuses a workbook %s', async (_, file, message) => {
  const { run } = await openLedger();
  const report = await run(file, options);
  expect(report).toMatchObject({ applied: false, errors: [{ code: 'file-unreadable' }] });
  expect(report.errors[0]?.message).toMatch(message);
});

test('reports a workbook that takes too long as an unreadable file', async () => {
  const after = (_: number, callback: () => void) => {
    queueMicrotask(callback);
    return () => undefined;
  };
  const { lines: imported, run } = await openLedger({ now: () => NOW, after });
  const report = await run(zipOf(lines), options);
  expect(report).toMatchObject({ applied: false, errors: [{ code: 'file-unreadable' }] });
  expect(report.errors[0]?.message).toMatch(/more content than can be read in 30 seconds/);
  expect(await imported()).toEqual([]);
});

test('ignores formatted blank cells to the right of the header row, but not values', async () => {
  const names = ['merchantOrderId', 'type', 'currency', 'date', 'amount', 'balance', 'note'];
  const file = (...beyond: string[]) => {
    const values = ['A-1', 'settle', 'EUR', '2026-03-02', '100.00', '0'];
    const rows = row(1, ...names.map(text)) + row(2, ...values.map(text), ...beyond);
    return zipOf(workbookEntries({ Sheet1: rows }));
  };
  const { run } = await openLedger();
  const blank = ['<c r="G2" s="0"/>', '<c r="AMI2" s="0"/>', '<c r="AMJ2" s="0"/>'];
  expect(await run(file(...blank), { units: 'major' })).toMatchObject({ added: 1, errors: [] });
  const value = '<c r="H2" t="inlineStr"><is><t>x</t></is></c>';
  expect(await run(file(value), { units: 'major' })).toMatchObject({ errors: [{ line: 2 }] });
});

test('reads rows below a row with a formatted blank cell, without detecting a split amount', async () => {
  const names = ['merchantOrderId', 'type', 'currency', 'date', 'amount'];
  const line = (number: number, ...beyond: string[]) => {
    const values = [`A-${number}`, 'settle', 'EUR', '2026-03-02'].map(text);
    return row(number, ...values, '<c><v>100</v></c>', ...beyond);
  };
  const rows = row(1, ...names.map(text)) + line(2, '<c r="F2" s="0"/>') + line(3);
  const { lines, run } = await openLedger();
  const report = await run(zipOf(workbookEntries({ Sheet1: rows })), options);
  expect(report).toMatchObject({ added: 2, errors: [] });
  expect(await lines()).toMatchObject([{ amount: 10_000 }, { amount: 10_000 }]);
});

test('reads a row whose formatted last cell is blank, as a line without an id', async () => {
  const { run } = await openLedger();
  const ids = row(3, ...columns, text('transactionId'));
  const cells = [text('A-1'), text('settle'), '<c><v>5</v></c>', text('USD'), text('2026-03-02')];
  const file = workbook({ Lines: ids + row(4, ...cells, '<c r="F4" s="0"/>') });
  expect(await run(file, options)).toMatchObject({ errors: [], added: 1 });
});
