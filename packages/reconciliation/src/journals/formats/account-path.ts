import type { Account, AccountType } from '@financing-checkout/contract/reconciliation';

/** Names of the five root accounts in plain-text accounting. */
const roots: Readonly<Record<AccountType, string>> = {
  asset: 'Assets',
  liability: 'Liabilities',
  equity: 'Equity',
  income: 'Income',
  expense: 'Expenses',
};

/**
 * Returns a function that returns an account's path in plain-text accounting, such as
 * `Assets:Receivable:Lenders` for an asset named `Receivable:Lenders`.
 * @param part changes each part of the name
 */
export function accountPaths(part: (text: string) => string): (account: Account) => string {
  const paths = new WeakMap<Account, string>();
  return (account) => {
    let path = paths.get(account);
    if (path === undefined) {
      const parts = account.name.split(':').map((text) => part(text.trim()));
      path = [roots[account.type], ...parts].join(':');
      paths.set(account, path);
    }
    return path;
  };
}
