import type { JournalFormat } from '../format.ts';
import { accountPaths } from './account-path.ts';
import { amountText } from './cells.ts';
import { hasText, lenderOf, metadataOf, subjectOf } from './entry-text.ts';
import { accountLimit, accountTitle, distinctAccounts, entryLimit } from './limits.ts';

const syntax = 'https://beancount.github.io/docs/beancount_language_syntax.html';

/** A part of an account name: Beancount permits letters, digits and hyphens. */
const namePart = /^[\p{Lu}\p{Nd}][\p{L}\p{Nd}-]*$/u;
const control = /\p{Cc}/u;

const accountOf = accountPaths((text) => {
  const name = text.replaceAll(/[^\p{L}\p{Nd}]+/gu, '-').replaceAll(/^-|-$/g, '');
  return name.slice(0, 1).toUpperCase() + name.slice(1);
});

/**
 * Beancount. The files contain no `open` directives, because a ledger may open an account only once
 * across all files; the plugin `auto_accounts` opens missing ones.
 */
export const beancount: JournalFormat = {
  title: 'Beancount',
  prefix: '',
  ending: 'beancount',
  encoding: 'utf-8',
  decimals: undefined,
  maxRows: Number.POSITIVE_INFINITY,
  limits: [
    accountLimit({ name: 'account-name', source: syntax }, (account) =>
      accountOf(account)
        .split(':')
        .every((part) => namePart.test(part))
        ? undefined
        : `The name of account ${accountTitle(account)} is no name in Beancount: each part between colons must start with a capital letter or a digit. Change it in the chart of accounts.`,
    ),
    distinctAccounts({ name: 'account-twice', source: syntax }, accountOf),
    entryLimit({ name: 'control-character', source: syntax }, (entry) =>
      hasText(entry, (text) => control.test(text))
        ? 'An order id or the name of a lender has a control character, such as a line break. Export with the format "csv".'
        : undefined,
    ),
  ],
  fileOf: () => '',
  head: ({ period }) =>
    `; Financing journal of ${period}\nplugin "beancount.plugins.auto_accounts"\n\n`,
  rows: (entry) => {
    const lender = lenderOf(entry);
    const payee = lender === '' ? '' : `${quoted(lender)} `;
    const tags = entry.belongsTo === undefined ? '' : ' #adjustment';
    const rows = [
      `${entry.date} * ${payee}${quoted(subjectOf(entry))} #financing #${entry.kind}${tags} ^${entry.id}\n`,
    ];
    for (const [key, value] of metadataOf(entry, lender)) {
      rows.push(`  ${key}: ${quoted(value)}\n`);
    }
    for (const line of entry.lines) {
      const amount = amountText(line.amount, entry.currency);
      rows.push(`  ${accountOf(line.account)}  ${amount} ${entry.currency}\n`);
      if (line.lender !== '' && line.lender !== lender) {
        rows.push(`    lender: ${quoted(line.lender)}\n`);
      }
    }
    rows.push('\n');
    return rows;
  },
};

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
