import type { Account, AccountType } from '@financing-checkout/contract';

/** Names of the five roots in plain-text accounting. */
export const roots: Readonly<Record<AccountType, string>> = {
  asset: 'Assets',
  liability: 'Liabilities',
  equity: 'Equity',
  income: 'Income',
  expense: 'Expenses',
};

/**
 * Returns the path of an account in plain-text accounting, such as `Assets:Receivable:Lenders` for
 * an asset with the name `Receivable:Lenders`.
 * @param part changes each part of the name
 */
export function accountPath({ type, name }: Account, part: (text: string) => string): string {
  return [roots[type], ...name.split(':').map((text) => part(text.trim()))].join(':');
}
