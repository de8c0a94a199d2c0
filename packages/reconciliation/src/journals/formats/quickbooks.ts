import { csvRow, isExact } from '@financing-checkout/contract/money';
import type { JournalFormat } from '../format.ts';
import { americanDate, lineTexts, sideCells, textCell } from './cells.ts';
import { longestText } from './entry-text.ts';
import {
  accountLimit,
  amountLimit,
  distinctAccounts,
  entryLimit,
  exactAccounts,
  lineLimit,
} from './limits.ts';

const importing =
  'https://quickbooks.intuit.com/learn-support/en-au/help-article/import-export-files/import-journal-entries-quickbooks-online/L4tQBwbs7_AU_en_AU';
const rows = 'https://github.com/deanbarrow/stripe-csv-to-qbo';
const lengths =
  'https://support.transactionpro.com/kb/article/492-journal-entry-import-fields-for-transaction-pro-online/';
const api =
  'https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/account';
const ROWS = 1_000;
const NAME = 100;
const decimals = 2;

const head = [
  'JournalNo',
  'JournalDate',
  'AccountName',
  'Debits',
  'Credits',
  'Description',
  'Name',
];

/**
 * Journal entries for QuickBooks Online. Each file has one currency, because the import asks for
 * it.
 */
export const quickbooks: JournalFormat = {
  title: 'QuickBooks Online',
  prefix: '',
  ending: 'csv',
  encoding: 'utf-8',
  decimals,
  maxRows: ROWS,
  limits: [
    entryLimit({ name: 'entry-id', source: lengths }, ({ id }) =>
      id.length <= 21
        ? undefined
        : 'The id of an entry is longer than the 21 characters of a JournalNo. Export with detail "summary".',
    ),
    accountLimit({ name: 'account-name', source: api }, (account) =>
      account.name.length <= NAME && !account.name.includes('"')
        ? undefined
        : `The name of account ${account.number} is longer than ${NAME} characters or has a quotation mark, which QuickBooks permits in no name. Write the name that QuickBooks shows in the chart of accounts.`,
    ),
    distinctAccounts({ name: 'account-twice', source: importing }, ({ name }) => name),
    exactAccounts(importing, ({ name }) => name),
    entryLimit({ name: 'lender', source: lengths }, ({ lines }) =>
      lines.every(({ lender }) => lender.length <= NAME && isExact(lender))
        ? undefined
        : `The name of a lender is longer than ${NAME} characters or reads as a formula, so that it cannot be a Name in QuickBooks. Export with the format "csv", without the column Name.`,
    ),
    entryLimit({ name: 'description', source: lengths }, (entry) =>
      longestText(entry) <= 4_000
        ? undefined
        : 'A text is longer than the 4,000 characters of a Description. Export with detail "summary".',
    ),
    amountLimit(11, lengths),
    lineLimit(ROWS, rows),
  ],
  fileOf: ({ currency }) => currency,
  head: () => csvRow(head),
  rows: (entry) => {
    const date = americanDate(entry.date);
    const textFor = lineTexts(entry);
    return entry.lines.map((line) => {
      const [debit, credit] = sideCells(line, entry, { decimals });
      const name = textCell(line.account.name);
      const text = textFor(line.lender);
      return csvRow([textCell(entry.id), date, name, debit, credit, text, textCell(line.lender)]);
    });
  },
};
