import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../facts/facts.fixture.ts';
import { NOW, openLedger } from '../keep/ledger.fixture.ts';
import type { LedgerImportOptions } from './options.ts';
import { readLedgerFile } from './read-file.ts';
import { row, type Sheet, text, workbookEntries, zipOf } from './workbook/workbook.fixture.ts';

const options = { units: 'major', type: 'settle', currency: 'USD' } as const;
const header = row(1, ...['merchantOrderId', 'amount', 'date'].map(text));
const day = '<c s="1"><v>46083</v></c>';
const amountOf = (value: number) => `<c><v>${value}</v></c>`;
const line = (number: number, order: string, value: number) =>
  row(number, order, amountOf(value), day);
const hidden = (number: number, order: string, value: number) =>
  line(number, order, value).replace('<row', '<row hidden="1"');
const merged = (...areas: string[]) =>
  `<mergeCells>${areas.map((area) => `<mergeCell ref="${area}"/>`).join('')}</mergeCells>`;

/** Reads a sheet, and returns the messages about its rows, and its amounts by order if there are none. */
async function read(
  sheet: Sheet | string,
  answer: LedgerImportOptions = {},
  workbook?: { above?: string; below?: string },
) {
  const folder = temporaryFolder();
  const [from, to] = [join(folder, 'lines.xlsx'), join(folder, 'lines.ndjson')];
  writeFileSync(from, zipOf(workbookEntries({ Lines: sheet }, workbook)));
  const all = { ...options, ...answer };
  const report = await readLedgerFile({ from, to, options: all, now: NOW, maxBytes: Infinity });
  const written = report.errorCount > 0 ? '' : readFileSync(to, 'utf8');
  const lines = written.split('\n').filter(Boolean);
  return {
    report,
    lines: lines.map((line) => {
      const { amount, merchant_order_id: id } = JSON.parse(line) as Record<string, string>;
      return `${id} ${Number(amount) / 100}`;
    }),
  };
}

const withMergedOrder = {
  rows:
    header +
    line(2, text('A-1'), 10) +
    line(3, '<c/>', 20) +
    line(4, '<c/>', 30) +
    line(5, text('A-2'), 40),
  below: merged('A2:A4'),
};

test('asks about an order in a merged cell, whose other rows have amounts', async () => {
  const asked = await read(withMergedOrder);
  expect(asked.report).toMatchObject({
    errors: [{ code: 'sheet-cells' }],
    sheetCells: [{ reason: 'merged', word: 'merchantOrderId', count: 2, lines: [3, 4] }],
  });
  expect(asked.report.errors[0]?.message).not.toContain('skip-rows-without');
  expect((await read(withMergedOrder, { cells: 'shown' })).lines).toEqual([
    'A-1 10',
    'A-1 20',
    'A-1 30',
    'A-2 40',
  ]);
});

test('does not advise to leave out rows whose order is in a merged cell', async () => {
  const { report } = await read(withMergedOrder, { cells: 'stored' });
  expect(report).toMatchObject({
    errors: [{ code: 'cell-merged', lines: [3, 4] }],
  });
  expect(report.errors[0]?.message).toMatch(/Set `cells` to shown/);
});

test('asks about merged orders before a preset leaves out rows without an order', async () => {
  const { report } = await read(withMergedOrder, { skipRowsWithout: ['order'] });
  expect(report).toMatchObject({ errors: [{ code: 'sheet-cells' }], skipped: 0 });
});

test('counts an amount of a merged cell once', async () => {
  const sheet = {
    rows: header + line(2, text('A-1'), 10) + row(3, '<c/>', '<c/>', day),
    below: merged('A2:A3', 'B2:B3'),
  };
  const { report } = await read(sheet, { cells: 'shown' });
  expect(report.errors).toMatchObject([{ code: 'amount-merged', line: 3 }]);
  const left = await read(sheet, { cells: 'shown', skipRowsWithout: ['amount'] });
  expect(left.lines).toEqual(['A-1 10']);
});

test('asks about a value that a merged cell covers', async () => {
  const sheet = {
    rows: header + line(2, text('A-1'), 10) + line(3, text('B-1'), 20),
    below: merged('A2:A3'),
  };
  expect((await read(sheet)).report.errors).toMatchObject([{ code: 'sheet-cells' }]);
  expect((await read(sheet, { cells: 'shown' })).lines).toEqual(['A-1 10', 'A-1 20']);
  expect((await read(sheet, { cells: 'stored' })).lines).toEqual(['A-1 10', 'B-1 20']);
});

test('does not ask about merged titles, header rows and cells of columns that are not read', async () => {
  const rows =
    row(1, text('A title')) +
    row(2, ...['merchantOrderId', 'amount', 'date', 'note'].map(text)) +
    row(3, '<c/>', '<c/>', '<c/>', text('gross')) +
    row(4, text('A-1'), amountOf(10), day, text('x')) +
    row(5, text('A-2'), amountOf(20), day);
  const sheet = { rows, below: merged('A1:D1', 'A2:A3', 'B2:B3', 'C2:C3', 'D4:D5') };
  const { lines, report } = await read(sheet, { extraRows: 'skip' });
  expect(report).toMatchObject({ sheetCells: [], errors: [] });
  expect(lines).toEqual(['A-1 10', 'A-2 20']);
});

test.each([
  ['hidden', { rows: header + line(2, text('A-1'), 10) + hidden(3, text('A-2'), 20) }],
  [
    'of no height',
    {
      rows:
        header +
        line(2, text('A-1'), 10) +
        line(3, text('A-2'), 20).replace('<row', '<row ht="0" customHeight="1"'),
    },
  ],
  [
    'left out by a filter',
    {
      rows: header + line(2, text('A-1'), 10) + hidden(3, text('A-2'), 20),
      below: '<autoFilter ref="A1:C3"><filterColumn colId="0"/></autoFilter>',
    },
  ],
])('asks about rows that are %s', async (_, sheet) => {
  const asked = await read(sheet);
  expect(asked.report).toMatchObject({
    errors: [{ code: 'sheet-cells', line: 3 }],
    sheetCells: [{ reason: 'hidden-row', count: 1, lines: [3] }],
  });
  const shown = await read(sheet, { cells: 'shown' });
  expect(shown.lines).toEqual(['A-1 10']);
  expect(shown.report).toMatchObject({
    skipped: 1,
    leftOut: [{ reason: 'hidden-row', count: 1, lines: [3] }],
  });
  expect((await read(sheet, { cells: 'stored' })).lines).toEqual(['A-1 10', 'A-2 20']);
});

test.each([
  ['hidden', '<col min="2" max="2" hidden="1"/>'],
  ['of no width', '<col min="2" max="3" width="0" customWidth="1"/>'],
])('asks about a column that is %s', async (_, columns) => {
  const sheet = { rows: header + line(2, text('A-1'), 10), above: `<cols>${columns}</cols>` };
  const asked = await read(sheet);
  expect(asked.report.sheetCells[0]).toMatchObject({ reason: 'hidden-column', word: 'amount' });
  const shown = await read(sheet, { cells: 'shown' });
  expect(shown.report.errors[0]).toMatchObject({ code: 'cell-hidden', field: 'amount' });
  expect((await read(sheet, { cells: 'stored' })).lines).toEqual(['A-1 10']);
});

test('does not ask about a hidden column that is not read', async () => {
  const rows =
    row(1, ...['merchantOrderId', 'amount', 'date', 'note'].map(text)) +
    row(2, text('A-1'), amountOf(10), day, text('x'));
  const sheet = { rows, above: '<cols><col min="4" max="4" hidden="1"/></cols>' };
  expect((await read(sheet)).lines).toEqual(['A-1 10']);
});

const formula = (value: string) => header + row(2, text('A-1'), `<c><f>1+2</f>${value}</c>`, day);

test.each([
  ['without a stored value', ''],
  ['with an empty value, as openpyxl writes it', '<v/>'],
])('refuses an amount that is a formula %s', async (_, value) => {
  for (const cells of [undefined, 'shown', 'stored'] as const) {
    const { report } = await read(formula(value), { cells });
    expect(report.errors).toMatchObject([{ code: 'formula-uncomputed', field: 'amount', line: 2 }]);
    expect(report.errors[0]?.message).not.toContain('skip-rows-without');
  }
  const skipped = await read(formula(value), { skipRowsWithout: ['amount'] });
  expect(skipped.report).toMatchObject({ errorCount: 1, skipped: 0 });
});

test('refuses a row that consists of formulas without stored values', async () => {
  const cell = '<c><f>Other!A2</f></c>';
  const { report } = await read(header + row(2, cell, cell, cell));
  expect(report.errors).toMatchObject([
    { field: 'order', code: 'formula-uncomputed' },
    { field: 'amount', code: 'formula-uncomputed' },
    { field: 'date', code: 'formula-uncomputed' },
  ]);
});

test('asks about formulas of a workbook that is to be computed when it is opened', async () => {
  const workbook = { below: '<calcPr fullCalcOnLoad="1"/>' };
  const asked = await read(formula('<v>3</v>'), {}, workbook);
  expect(asked.report.sheetCells).toMatchObject([{ reason: 'stale', word: 'amount', lines: [2] }]);
  expect((await read(formula('<v>3</v>'), { cells: 'stored' }, workbook)).lines).toEqual(['A-1 3']);
  const shown = await read(formula('<v>3</v>'), { cells: 'shown' }, workbook);
  expect(shown.report.errors).toMatchObject([{ code: 'formula-uncomputed' }]);
});

test('does not use the 0 that Apache POI stores for a formula as an amount', async () => {
  const { report } = await read(formula('<v>0.0</v>'));
  expect(report.errors).toMatchObject([{ code: 'formula-zero', field: 'amount' }]);
  expect(report.errors[0]?.message).toMatch(/open the workbook in a spreadsheet/);
});

test('withdraws lines with their stored values, without a question', async () => {
  const { run, lines } = await openLedger();
  const file = zipOf(
    workbookEntries({ Lines: header + line(2, text('A-1'), 10) + hidden(3, text('A-2'), 20) }),
  );
  await run(file, { ...options, cells: 'stored' });
  expect(await run(file, { ...options, withdraw: true })).toMatchObject({
    errors: [],
    withdrawn: 2,
  });
  expect(await lines()).toEqual([]);
});

test('asks which sheet to import if one with content is hidden', async () => {
  const { run } = await openLedger();
  const rows = header + line(2, text('A-1'), 10);
  for (const state of ['hidden', 'veryHidden'] as const) {
    const both = zipOf(workbookEntries({ Lines: rows, Secret: { rows, state } }));
    const report = await run(both, { ...options, dryRun: true });
    expect(report.errors[0]?.message).toContain('one of "Lines", "Secret" (hidden)');
    const chosen = await run(both, { ...options, sheet: 'Lines', dryRun: true });
    expect(chosen).toMatchObject({ errors: [], added: 1 });
    const alone = await run(zipOf(workbookEntries({ Secret: { rows, state } })), options);
    expect(alone.errors[0]?.message).toContain('a hidden sheet alone');
  }
});

test.each([16.009999999999998, 16.01, 16.010000000000002])(
  'reads a cell of %d as it is shown',
  async (value) => {
    const { lines, report } = await read(header + line(2, text('A-1'), value));
    expect([report.errors, lines]).toEqual([[], ['A-1 16.01']]);
  },
);
