import { csvRow, isExact } from '@financing-checkout/contract/money';
import type { JournalFormat } from '../format.ts';
import { amountText, lineTexts, monthText, numberCell, textCell } from './cells.ts';
import { lenderOf, textOf } from './entry-text.ts';
import { accountLimit, accountTitle, entryLimit, exactAccounts, lineLimit } from './limits.ts';

const importing = 'https://help.xero.com/nz/ManualJournalsImport';
const accounts = 'https://developer.xero.com/documentation/api/accounting/accounts';
const ROWS = 300;
const decimals = 2;

const head = ['Narration', 'Date', 'Description', 'AccountCode', 'TaxRate', 'Amount'];

/**
 * Manual journals for Xero, which are in the organization's base currency. Rows with the same
 * narration and date become one journal, so the narration ends with the entry's id.
 */
export const xero: JournalFormat = {
  title: 'Xero',
  prefix: '',
  ending: 'csv',
  encoding: 'utf-8',
  decimals,
  maxRows: ROWS,
  limits: [
    entryLimit({ name: 'currency', source: importing }, ({ currency }, { settings }) =>
      settings.xero.currency === undefined || settings.xero.currency === currency
        ? undefined
        : `Manual journals are in the base currency ("xero.currency" of the chart of accounts), and the journal has ${currency}. Import ${currency} into an organization of that currency: remove "xero.currency" to get a file for each currency.`,
    ),
    accountLimit({ name: 'account-code', source: accounts }, (account) =>
      account.number.length <= 10
        ? undefined
        : `The number of account ${accountTitle(account)} is longer than the 10 characters of an AccountCode. Write Xero's code in the chart of accounts.`,
    ),
    exactAccounts(accounts, ({ number }) => number),
    entryLimit({ name: 'tax-rate', source: importing }, (_, { settings }) =>
      isExact(settings.xero.taxRate)
        ? undefined
        : 'A spreadsheet would read "xero.taxRate" of the chart of accounts as a formula. Rename the tax rate in Xero.',
    ),
    lineLimit(ROWS, importing),
  ],
  fileOf: ({ currency }) => currency,
  head: () => csvRow(head),
  rows: (entry, { settings }) => {
    const narration = textCell(`${textOf(entry, lenderOf(entry))} (${entry.id})`);
    const date = `${entry.date.slice(8)} ${monthText(entry.date)}`;
    const taxRate = textCell(settings.xero.taxRate);
    const textFor = lineTexts(entry);
    return entry.lines.map(({ account, amount, lender }) => {
      const cell = numberCell(amountText(amount, entry.currency, decimals));
      return csvRow([narration, date, textFor(lender), textCell(account.number), taxRate, cell]);
    });
  },
};
