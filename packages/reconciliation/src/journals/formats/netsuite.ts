import type { Account } from '@financing-checkout/contract/reconciliation';
import { csvRow, isExact } from '@financing-checkout/contract/money';
import type { Chart } from '../../config/chart.ts';
import type { JournalFormat } from '../format.ts';
import { americanDate, lineTexts, monthText, sideCells, textCell } from './cells.ts';
import { longestText } from './entry-text.ts';
import { amountLimit, distinctAccounts, entryLimit, exactAccounts, lineLimit } from './limits.ts';

const help = 'https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help';
const fields = `${help}/section_1534492737.html`;
const header = `${help}/section_1534492479.html`;
const lines = `${help}/article_159361107074.html`;
const decimals = 2;

const head = [
  'External ID',
  'Date',
  'Posting Period',
  'Subsidiary',
  'Currency',
  'Memo',
  'Journal Entry - Line: Account',
  'Journal Entry - Line: Debit',
  'Journal Entry - Line: Credit',
  'Journal Entry - Line: Memo',
];

/**
 * Journal entries for NetSuite's CSV import. The external ID turns a repeated import into an
 * update.
 */
export const netsuite: JournalFormat = {
  title: 'NetSuite',
  prefix: '',
  ending: 'csv',
  encoding: 'utf-8',
  decimals,
  maxRows: 1_000,
  limits: [
    entryLimit({ name: 'two-lines', source: fields }, (entry) =>
      entry.lines.length >= 2
        ? undefined
        : 'An entry has one line, and NetSuite requires two. Report it: an entry of one line does not balance.',
    ),
    lineLimit(200, lines),
    amountLimit(10, fields),
    entryLimit({ name: 'memo', source: header }, (entry) =>
      longestText(entry) <= 4_000
        ? undefined
        : 'A text is longer than the 4,000 characters of a memo. Export with detail "summary".',
    ),
    distinctAccounts({ name: 'account-twice', source: fields }, accountText),
    exactAccounts(fields, accountText),
    entryLimit({ name: 'subsidiary', source: fields }, (_, { settings }) =>
      isExact(settings.netsuite.subsidiary)
        ? undefined
        : 'A spreadsheet would read "netsuite.subsidiary" of the chart of accounts as a formula. Rename the subsidiary in NetSuite.',
    ),
  ],
  fileOf: () => '',
  head: () => csvRow(head),
  rows: (entry, chart) => {
    const { subsidiary } = chart.settings.netsuite;
    const textFor = lineTexts(entry);
    const about = [
      entry.id,
      americanDate(entry.date),
      monthText(entry.date),
      subsidiary,
      entry.currency,
    ].map(textCell);
    const memo = textFor('');
    return entry.lines.map((line) => {
      const [debit, credit] = sideCells(line, entry, { decimals });
      const account = textCell(accountText(line.account, chart));
      return csvRow([...about, memo, account, debit, credit, textFor(line.lender)]);
    });
  },
};

function accountText({ number, name }: Account, { settings }: Chart): string {
  switch (settings.netsuite.accounts) {
    case 'number':
      return number;
    case 'name':
      return name;
    case 'number-and-name':
      return `${number} ${name}`;
  }
}
