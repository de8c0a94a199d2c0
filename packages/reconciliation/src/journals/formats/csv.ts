import { toMajorUnits, type CsvDecimal, csvRow, isExact } from '@financing-checkout/contract/money';
import { type JournalEntry, type JournalLine } from '@financing-checkout/contract/reconciliation';
import type { Chart, ChartSettings, ColumnField } from '../../config/chart.ts';
import type { JournalFormat } from '../format.ts';
import { americanDate, lineTexts, numberCell, sideCells, textCell } from './cells.ts';
import { orderOf } from './entry-text.ts';
import { entryLimit, exactAccounts } from './limits.ts';

const sheets =
  'https://support.microsoft.com/office/excel-specifications-and-limits-1672b34d-7043-467e-8e27-269d656771c3';

/** Custom CSV columns, defined by `csv` in the chart of accounts. */
export const csv: JournalFormat = {
  title: 'CSV',
  prefix: '',
  ending: 'csv',
  encoding: 'utf-8',
  decimals: undefined,
  /** Maximum number of rows in a spreadsheet, without the header row. */
  maxRows: 1_048_575,
  limits: [
    exactAccounts(sheets, ({ number }) => number),
    exactAccounts(sheets, ({ name }) => name),
    entryLimit({ name: 'constant', source: sheets }, (_, { settings }) =>
      settings.csv.columns.every((column) => 'field' in column || isExact(column.value))
        ? undefined
        : 'A spreadsheet would read a "value" of "csv.columns" in the chart of accounts as a formula. Use a value that starts with a letter or a digit.',
    ),
  ],
  fileOf: () => '',
  head: (_, chart) =>
    csvRow(
      chart.settings.csv.columns.map(({ head }) => textCell(head)),
      decimalOf(chart),
    ),
  rows: (entry, chart) => {
    const { columns, date } = chart.settings.csv;
    const decimal = decimalOf(chart);
    const textFor = lineTexts(entry);
    return entry.lines.map((line) =>
      csvRow(
        columns.map((column) =>
          'field' in column
            ? cells[column.field](entry, line, { date, decimal, textFor })
            : textCell(column.value),
        ),
        decimal,
      ),
    );
  },
};

/** If commas mark decimals, semicolons separate values. */
function decimalOf({ settings }: Chart): CsvDecimal {
  return settings.csv.separator === ';' ? 'comma' : 'point';
}

type DateFormat = ChartSettings['csv']['date'];

interface Written {
  date: DateFormat;
  decimal: CsvDecimal;
  textFor: (lender: string) => string;
}

const cells: Readonly<
  Record<ColumnField, (entry: JournalEntry, line: JournalLine, written: Written) => string>
> = {
  entry: ({ id }) => textCell(id),
  date: (entry, _, { date }) => textCell(dateText(entry.date, date)),
  period: ({ period }) => textCell(period),
  'belongs-to': ({ belongsTo }) => textCell(belongsTo ?? ''),
  kind: ({ kind }) => textCell(kind),
  text: (_, { lender }, { textFor }) => textFor(lender),
  currency: ({ currency }) => textCell(currency),
  order: (entry) => textCell(orderOf(entry) ?? ''),
  lender: (_, { lender }) => textCell(lender),
  'account-number': (_, { account }) => textCell(account.number),
  'account-name': (_, { account }) => textCell(account.name),
  debit: (entry, line, { decimal }) => sideCells(line, entry, { decimal })[0],
  credit: (entry, line, { decimal }) => sideCells(line, entry, { decimal })[1],
  amount: ({ currency }, { amount }, { decimal }) =>
    numberCell(toMajorUnits({ value: amount, currency }), decimal),
  side: (_, { amount }) => textCell(amount > 0 ? 'debit' : 'credit'),
};

function dateText(date: string, format: DateFormat): string {
  const [year, month, day] = date.split('-');
  switch (format) {
    case 'YYYY-MM-DD':
      return date;
    case 'YYYYMMDD':
      return `${year}${month}${day}`;
    case 'MM/DD/YYYY':
      return americanDate(date);
    case 'DD/MM/YYYY':
      return `${day}/${month}/${year}`;
    case 'DD.MM.YYYY':
      return `${day}.${month}.${year}`;
  }
}
