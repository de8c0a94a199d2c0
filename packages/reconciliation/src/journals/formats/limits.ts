import { MAX_MINOR_UNITS, minorUnitDigits, isExact } from '@financing-checkout/contract/money';
import { type Account, type JournalEntry } from '@financing-checkout/contract/reconciliation';
import type { Chart } from '../../config/chart.ts';
import { accountKey, type JournalLimit } from '../format.ts';

const NONE: readonly string[] = [];

interface Published {
  name: string;
  source: string;
}

/**
 * Creates a limit on entries.
 * @param refuse returns reason and remedy; undefined to accept
 */
export function entryLimit(
  { name, source }: Published,
  refuse: (entry: JournalEntry, chart: Chart) => string | undefined,
): JournalLimit {
  return {
    name,
    source,
    checkFor: (chart) => (entry) => {
      const message = refuse(entry, chart);
      return message === undefined ? NONE : [message];
    },
  };
}

/**
 * Creates a limit on accounts. Checks each account in a journal once.
 * @param refuse returns reason and remedy; undefined to accept
 */
export function accountLimit(
  { name, source }: Published,
  refuse: (account: Account, chart: Chart) => string | undefined,
): JournalLimit {
  return {
    name,
    source,
    checkFor(chart) {
      const checked = new Map<string, string | undefined>();
      return ({ lines }) => {
        let messages: Set<string> | undefined;
        for (const { account } of lines) {
          const key = accountKey(account);
          if (!checked.has(key)) checked.set(key, refuse(account, chart));
          const message = checked.get(key);
          if (message !== undefined) messages = (messages ?? new Set()).add(message);
        }
        return messages === undefined ? NONE : [...messages];
      };
    },
  };
}

/**
 * Creates a limit that refuses accounts with different numbers but the same text in the target.
 * @param textFor returns an account's text
 */
export function distinctAccounts(
  { name, source }: Published,
  textFor: (account: Account, chart: Chart) => string,
): JournalLimit {
  return {
    name,
    source,
    checkFor(chart) {
      const owners = new Map<string, Account>();
      return accountLimit({ name, source }, (account) => {
        const text = textFor(account, chart);
        const owner = owners.get(text) ?? account;
        owners.set(text, owner);
        return owner.number === account.number
          ? undefined
          : `The accounts ${accountTitle(owner)} and ${accountTitle(account)} would both be "${text}". Give one of them another name in the chart of accounts or, if they are one account, the same number.`;
      }).checkFor(chart);
    },
  };
}

/** Creates a limit on the number of lines in an entry. */
export function lineLimit(most: number, source: string): JournalLimit {
  return entryLimit({ name: 'entry-lines', source }, ({ lines }) =>
    lines.length <= most
      ? undefined
      : `An entry has more than ${most} lines. Export with detail "orders", or give products the same account in "rules" of the chart of accounts.`,
  );
}

/**
 * Creates a limit on the digits of an amount before the decimals.
 * @param digits maximum number of these digits
 */
export function amountLimit(digits: number, source: string): JournalLimit {
  return entryLimit({ name: 'amount', source }, ({ lines, currency }) => {
    const most = Math.min(10 ** (digits + minorUnitDigits(currency)) - 1, MAX_MINOR_UNITS);
    return lines.every(({ amount }) => Math.abs(amount) <= most)
      ? undefined
      : `An amount in ${currency} has more than ${digits} digits before its decimals. Export with detail "orders", whose amounts are smaller.`;
  });
}

/** Creates a limit that refuses account texts that CSV would change, because the target looks them up. */
export function exactAccounts(
  source: string,
  textFor: (account: Account, chart: Chart) => string,
): JournalLimit {
  return accountLimit({ name: 'formula', source }, (account, chart) =>
    isExact(textFor(account, chart))
      ? undefined
      : `A spreadsheet would read account ${accountTitle(account)} as a formula. Change its number or name in the target and in the chart of accounts.`,
  );
}

/** Names an account in a message. */
export function accountTitle({ number, name }: Account): string {
  return `${number} "${name}"`;
}
