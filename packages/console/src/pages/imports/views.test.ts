import { render } from 'lit';
import { expect, it, vi } from 'vitest';
import type {
  LedgerImportRecord,
  LedgerPreview,
} from '@financing-checkout/contract/reconciliation';
import { setLanguage } from '../../locale/locale.ts';
import { columnsView } from './columns.ts';
import { Draft } from './draft.ts';
import { notationView } from './notation.ts';
import { sentOptions } from './options.ts';
import { reportView } from './report.ts';
import { sheetView } from './sheet.ts';

const start = () => undefined;

function shown(view: unknown): HTMLElement {
  const place = document.createElement('div');
  document.body.replaceChildren(place);
  render(view, place);
  return place;
}

const text = (element: Element | null) => element?.textContent.replaceAll(/\s+/g, ' ').trim();
const preview: LedgerPreview = {
  format: 'csv',
  proposal: { map: { order: 'Order' } },
  questions: [],
  known: [],
  sheets: ['Summary', 'Lines'],
  columns: ['Order', 'Payout id', 'say "x", y'],
  readings: [{ asks: [] }, { asks: [] }, { asks: [] }],
  rows: [],
};
const report: LedgerImportRecord = {
  dryRun: true,
  applied: false,
  zone: 'UTC',
  lines: 2,
  added: 0,
  repeated: 0,
  replaced: 0,
  withdrawn: 0,
  skipped: 0,
  totals: [],
  closed: [],
  errors: [],
  errorCount: 0,
  lookAlikes: [],
  lookAlikeCount: 0,
  leftOut: [],
  extraRows: [],
  sheetCells: [],
  alike: 0,
  notes: [],
  unknownTypes: [],
};

it('asks which of several sheets to import, and reads the chosen one', () => {
  const draft = new Draft();
  const use = vi.spyOn(draft, 'useSheet').mockImplementation(() => undefined);
  const view = shown(sheetView(draft, preview));
  const select = view.querySelector('select');
  expect([...(select?.options ?? [])].map((option) => option.text)).toEqual([
    'Please choose',
    'Summary',
    'Lines',
  ]);
  if (select === null) return;
  select.value = 'Lines';
  select.dispatchEvent(new Event('change'));
  expect(use).toHaveBeenCalledWith('Lines');
  expect(
    text(shown(sheetView(draft, { ...preview, sheets: ['Lines'], proposal: { sheet: 'Lines' } }))),
  ).toBe('');
});

it('offers each column of the file as a condition for skipping rows without a value', () => {
  const draft = new Draft();
  draft.options = { map: { order: 'Order' } };
  const view = shown(notationView(draft, preview));
  const labels = [...view.querySelectorAll('.checks label')].map(text);
  expect(labels).toEqual(
    expect.arrayContaining([
      'Rows without Order',
      'Rows without a value in “Payout id”',
      'Rows without a value in “say "x", y”',
    ]),
  );
  const box = [...view.querySelectorAll<HTMLInputElement>('.checks label input')];
  box[labels.indexOf('Rows without a value in “say "x", y”')]?.click();
  box[labels.indexOf('Rows without Order')]?.click();
  expect(draft.options.skipRowsWithout).toContain('order');
  expect(sentOptions({ ...draft.options, skipRowsWithout: ['order', 'say "x", y'] })).toMatchObject(
    {
      skipRowsWithout: ['order', 'say "x", y'],
    },
  );
  // The options for text formats do not apply to a workbook.
  expect(text(view)).not.toContain('Encoding');
});

it('lists rows that are not ledger lines, and repeats the dry run with the answer', async () => {
  const draft = new Draft();
  const check = vi.spyOn(draft, 'check').mockResolvedValue();
  const asked: LedgerImportRecord = {
    ...report,
    extraRows: [{ reason: 'total', count: 2, lines: [4, 9] }],
    errors: [{ code: 'extra-rows', message: 'x', count: 1, lines: [] }],
    errorCount: 1,
  };
  const view = shown(reportView(draft, asked, start));
  expect(text(view.querySelector('h2'))).toBe('2 rows are probably not ledger lines');
  expect(text(view.querySelector('li'))).toContain('2 rows: sum of the rows above');
  expect(text(view.querySelector('li'))).toContain('lines 4, 9');
  // The question is not also listed as an error, and the import is blocked until the answer.
  expect(view.querySelector('.report-errors')).toBeNull();
  expect(text(view)).not.toContain('Import 0 lines');
  const [skip] = view.querySelectorAll<HTMLInputElement>('input[name=extra-rows]');
  skip?.click();
  expect(draft.options.extraRows).toBe('skip');
  expect(check).toHaveBeenCalledOnce();
  await setLanguage('de');
  const german = text(shown(reportView(draft, asked, start)));
  expect(german).toContain('2 Zeilen sind vermutlich keine Posten');
  expect(german).toContain('Auslassen');
});

it('lists the hidden cells of a sheet, and repeats the dry run with the answer', async () => {
  const draft = new Draft();
  const check = vi.spyOn(draft, 'check').mockResolvedValue();
  const asked: LedgerImportRecord = {
    ...report,
    sheetCells: [
      { reason: 'hidden-row', count: 2, lines: [4, 9] },
      { reason: 'merged', word: 'Order', count: 1, lines: [6] },
    ],
    errors: [{ code: 'sheet-cells', message: 'x', count: 1, lines: [] }],
    errorCount: 1,
  };
  const view = shown(reportView(draft, asked, start));
  expect(text(view.querySelector('h2'))).toBe(
    '3 rows or cells are shown otherwise than they are stored',
  );
  expect([...view.querySelectorAll('li')].map(text)).toEqual([
    '2 rows: hidden in the sheet lines 4, 9',
    '1 row: part of a merged cell in the column Order line 6',
  ]);
  expect(view.querySelector('.report-errors')).toBeNull();
  view.querySelector<HTMLInputElement>('input[name=cells]')?.click();
  expect(draft.options.cells).toBe('shown');
  expect(sentOptions(draft.options)).toMatchObject({ cells: 'shown' });
  expect(check).toHaveBeenCalledOnce();
  const answered = { ...report, skipped: 2, leftOut: asked.sheetCells.slice(0, 1) };
  const after = shown(reportView(draft, answered, start));
  expect(after.querySelectorAll('li')).toHaveLength(1);
  expect(after.querySelector('.asides')).toBeNull();
  await setLanguage('de');
  expect(text(shown(reportView(draft, asked, start)))).toContain('Wie angezeigt:');
});

it('does not advise to leave out rows whose value only the sheet shows', async () => {
  const wrong: LedgerImportRecord = {
    ...report,
    errors: ['cell-merged', 'formula-zero', 'formula-uncomputed', 'cell-hidden'].map((code) => ({
      line: 2,
      field: 'amount',
      code,
      message: 'set `cells`',
      count: 1,
      lines: [2],
    })),
    errorCount: 4,
  };
  const view = shown(reportView(new Draft(), wrong, start));
  await expect.poll(() => view.querySelectorAll('tbody tr:not(.gap)').length).toBe(4);
  expect(text(view)).toContain('Choose “As shown”');
  expect(text(view)).not.toContain('Rows that are left out');
  expect(text(view)).not.toContain('with these columns and options');
});

it('lists what a person does not see in a workbook', () => {
  const unseen: LedgerPreview['unseen'] = [
    { kind: 'hidden-sheet', count: 1, places: ['Secret'] },
    { kind: 'filtered-row', count: 30, places: ['4', '5'] },
  ];
  const alone = { ...preview, sheets: ['Secret'], unseen };
  const view = shown(sheetView(new Draft(), alone));
  expect([...view.querySelectorAll('li')].map(text)).toEqual([
    '1 hidden sheet Secret',
    '30 rows hidden by a filter 4, 5 …',
  ]);
  // A hidden sheet is not imported before it is chosen.
  expect(view.querySelector('select')).not.toBeNull();
  expect(
    shown(sheetView(new Draft(), { ...alone, proposal: { sheet: 'Secret' } })).querySelector(
      'select',
    ),
  ).toBe(null);
});

it('lists rows that are skipped because of the answer only once', () => {
  const draft = new Draft();
  draft.options = { extraRows: 'skip' };
  const answered: LedgerImportRecord = {
    ...report,
    skipped: 3,
    leftOut: [
      { reason: 'total', count: 2, lines: [4, 9] },
      { reason: 'type', word: 'Fee', count: 1, lines: [5] },
    ],
  };
  const view = shown(reportView(draft, answered, start));
  expect([...view.querySelectorAll('li')].map(text)).toEqual([
    '2 rows: sum of the rows above lines 4, 9',
    '1 row: type word to leave out Fee line 5',
  ]);
  const only = { ...answered, skipped: 2, leftOut: answered.leftOut.slice(0, 1) };
  expect(shown(reportView(draft, only, start)).querySelector('.asides')).toBeNull();
});

it('shows how a corrected file differs, and repeats the dry run with the answer', async () => {
  const draft = new Draft();
  const check = vi.spyOn(draft, 'check').mockResolvedValue();
  const asked: LedgerImportRecord = {
    ...report,
    errors: [{ code: 'correction', message: 'x', count: 1, lines: [] }],
    errorCount: 1,
    difference: {
      source: 'erp',
      from: '2026-03-01',
      to: '2026-03-31',
      added: 0,
      changed: 1,
      removed: 1,
      kept: 1,
      stay: 3,
      go: 2,
      double: 1,
      list: [
        {
          kind: 'changed',
          merchantOrderId: 'A-1',
          type: 'Settle',
          currency: 'USD',
          amount: 11_000,
          recordedAmount: 10_000,
          at: Date.UTC(2026, 3, 1, 12),
          recordedAt: Date.UTC(2026, 2, 31, 12),
          doubles: true,
        },
        {
          kind: 'removed',
          merchantOrderId: 'A-2',
          type: 'Settle',
          currency: 'USD',
          recordedAmount: 10_000,
          at: Date.UTC(2026, 2, 2, 12),
          recordedAt: Date.UTC(2026, 2, 2, 12),
          doubles: false,
        },
        {
          kind: 'kept',
          merchantOrderId: 'A-3',
          type: 'Settle',
          currency: 'USD',
          recordedAmount: 500,
          at: Date.UTC(2026, 2, 3, 12),
          recordedAt: Date.UTC(2026, 2, 3, 12),
          doubles: false,
        },
      ],
    },
  };
  const view = shown(reportView(draft, asked, start));
  expect(text(view.querySelector('h2'))).toBe('2 lines differ from an earlier import');
  expect(text(view)).toContain('source “erp”. Compared: Mar 1, 2026 to Mar 31, 2026');
  expect([...view.querySelectorAll('.choice small')].map(text)).toEqual([
    '3 earlier lines stay, 2 go',
    '5 earlier lines stay, 1 counts twice',
  ]);
  await expect
    .poll(() => [...view.querySelectorAll('tbody tr:not(.gap)')].map(text))
    .toEqual([
      expect.stringMatching(/ChangedA-1Changed\$100\.00\$110\.00Mar 31, 2026 → Apr 1, 2026/),
      expect.stringMatching(/RemovedA-2Removed\$100\.00Mar 2, 2026/),
      expect.stringMatching(/StaysA-3Stays\$5\.00Mar 3, 2026/),
    ]);
  expect(text(view.querySelector('th'))).toBe('Kind');
  expect(view.querySelector('.report-errors')).toBeNull();
  view.querySelector<HTMLInputElement>('input[name=correction]')?.click();
  expect(draft.options.correction).toBe('replace');
  expect(check).toHaveBeenCalledOnce();
});

it('lists an error that affects many lines once, with its column and first value in the file', async () => {
  const lines = Array.from({ length: 20 }, (_, index) => index + 2);
  const wrong: LedgerImportRecord = {
    ...report,
    errors: [
      { code: 'file-unreadable', message: 'ends early', count: 1, lines: [] },
      { line: 2, field: 'date', code: 'date-invalid', message: 'set `dates`', count: 226, lines },
      { line: 9, field: 'amount', code: 'missing', message: 'is missing', count: 1, lines: [9] },
      { line: 10, code: 'unknown-code', message: 'set `map`', count: 1, lines: [10] },
    ],
    errorCount: 229,
  };
  const draft = new Draft();
  draft.options = { map: { date: 'Buchungstag' } };
  draft.values = new Map(wrong.errors.slice(1, 2).map((error) => [error, '31.31.2026']));
  const view = shown(reportView(draft, wrong, start));
  await expect
    .poll(() => [...view.querySelectorAll('tbody tr:not(.gap)')].map(text))
    .toEqual([
      expect.stringMatching(/^whole file.*ends early$/),
      expect.stringMatching(
        /^226 lines.*lines 2, 3, .*, 21 ….*Buchungstag ?Date.*31\.31\.2026.*under “Dates”\.$/,
      ),
      expect.stringMatching(/^9.*Amount.*The cell is empty\..*$/),
      expect.stringMatching(/^10.*with these columns and options/),
    ]);
  expect(text(view)).not.toContain('are listed');
  const more = shown(reportView(new Draft(), { ...wrong, errorCount: 300 }, start));
  expect(text(more)).toContain('229 of them are listed.');
});

it('shows the proposed columns with sample values', () => {
  const draft = new Draft();
  const rows = ['A-1', 'A-1', 'A-2', 'A-3', 'A-4'].map((order) => [order, '', '']);
  draft.options = { map: { order: 'Order' } };
  const view = shown(columnsView(draft, { ...preview, rows }));
  expect(text(view)).toContain('Proposed by the names of the columns.');
  const field = view.querySelector<HTMLSelectElement>('[aria-label="Column for Order"]');
  expect(field?.value).toBe('Order');
  expect(text(field?.parentElement?.querySelector('small') ?? null)).toBe(
    'for example A-1 · A-2 · A-3',
  );
  expect(text(shown(columnsView(draft, { ...preview, proposal: {} })))).not.toContain('Proposed');
});

it('asks what the file leaves open, and proposes the notation of a column that is assigned', () => {
  const draft = new Draft();
  const found: LedgerPreview = {
    ...preview,
    columns: ['Order', 'Net', 'Gross', 'Paid on', 'Art'],
    readings: [
      { asks: [] },
      { asks: [] },
      { units: 'major', decimal: 'comma', asks: [] },
      { dates: 'dmy', asks: ['dates', 'zone'] },
      { types: { settle: ['Einzug'] }, asks: ['types'] },
    ],
    rows: [['A-1', '1', '1,50', '31.12.2026', 'Einzug']],
  };
  draft.options = { map: { order: 'Order', amount: 'Net' } };
  const fields = () =>
    [...shown(notationView(draft, found)).querySelectorAll('.notation > .fields label > span')].map(
      text,
    );
  expect(fields()).toEqual([
    'Unit of amounts',
    'Currency of all lines',
    'Lines without a type are',
  ]);
  const assign = (field: string, column: string) => {
    const select = shown(columnsView(draft, found)).querySelector<HTMLSelectElement>(
      `[aria-label="Column for ${field}"]`,
    );
    if (select === null) throw new Error(`${field} has no column.`);
    select.value = column;
    select.dispatchEvent(new Event('change'));
  };
  assign('Amount', 'Gross');
  expect(draft.options).toMatchObject({ units: 'major', decimal: 'comma' });
  assign('Date', 'Paid on');
  assign('Type', 'Art');
  expect(draft.options).toMatchObject({ dates: 'dmy', types: { settle: ['Einzug'] } });
  expect(fields()).toContain('Time zone of dates without one');
  draft.choose({ dates: undefined });
  expect(fields()).toContain('Dates');
});
