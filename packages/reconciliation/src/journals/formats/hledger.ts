import { minorUnitDigits } from '@financing-checkout/contract/money';
import type { JournalFormat } from '../format.ts';
import { accountPaths } from './account-path.ts';
import { amountText } from './cells.ts';
import { hasText, lenderOf, metadataOf, subjectOf } from './entry-text.ts';
import { accountLimit, accountTitle, distinctAccounts, entryLimit } from './limits.ts';

const manual = 'https://hledger.org/hledger.html';

/** Two blanks or a tab end an account name, and a semicolon starts a comment. */
const endsName = /\s\s|[\t;]/;
/** hledger interprets these in a posting's comment as its date. */
const postingDate = /\[[\d=]|\bdate2?:/;
const control = /\p{Cc}/u;
const accountOf = accountPaths((text) => text);
const tags = ['id', 'kind', 'period', 'belongs-to', 'lender', 'order'];

/** Entries that both hledger and ledger read. */
export const hledger: JournalFormat = {
  title: 'hledger, ledger',
  prefix: '',
  ending: 'journal',
  encoding: 'utf-8',
  decimals: undefined,
  maxRows: Number.POSITIVE_INFINITY,
  limits: [
    accountLimit({ name: 'account-name', source: `${manual}#account-names` }, (account) =>
      accountOf(account).split(':').includes('') || endsName.test(account.name)
        ? `The name of account ${accountTitle(account)} has two blanks, a semicolon or an empty part, at which hledger and ledger would cut it. Change it in the chart of accounts.`
        : undefined,
    ),
    distinctAccounts({ name: 'account-twice', source: `${manual}#account-names` }, accountOf),
    entryLimit({ name: 'control-character', source: `${manual}#comments` }, (entry) =>
      hasText(entry, (text) => control.test(text))
        ? 'An order id or the name of a lender has a control character, such as a line break. Export with the format "csv".'
        : undefined,
    ),
    entryLimit({ name: 'posting-date', source: `${manual}#posting-dates` }, (entry) =>
      lenderOf(entry) === '' && entry.lines.some(({ lender }) => postingDate.test(lender))
        ? 'hledger would read the name of a lender as the date of a posting. Export with the format "csv" or "beancount".'
        : undefined,
    ),
  ],
  fileOf: () => '',
  head: ({ period, accounts, currencies }) => {
    const lines = [`; Financing journal of ${period}`];
    for (const currency of currencies) {
      lines.push(`commodity ${currency}`);
      const digits = minorUnitDigits(currency);
      // Without decimals, hledger requires "1000.", which ledger rejects.
      if (digits > 0) lines.push(`    format 1000.${'0'.repeat(digits)} ${currency}`);
    }
    for (const name of new Set(accounts.map(accountOf))) lines.push(`account ${name}`);
    for (const tag of tags) lines.push(`tag ${tag}`);
    return `${lines.join('\n')}\n\n`;
  },
  rows: (entry) => {
    const lender = lenderOf(entry);
    const rows = [`${entry.date} * (${entry.id}) ${subjectOf(entry)}\n`];
    for (const [key, value] of metadataOf(entry, lender)) rows.push(`    ; ${key}: ${value}\n`);
    for (const line of entry.lines) {
      const amount = amountText(line.amount, entry.currency);
      const own = line.lender === lender || line.lender === '' ? '' : `  ; lender: ${line.lender}`;
      rows.push(`    ${accountOf(line.account)}  ${amount} ${entry.currency}${own}\n`);
    }
    rows.push('\n');
    return rows;
  },
};
