import { ASSUMED_CURRENCY } from '../queries/basis/reasons.ts';
import type { LeftOut } from '../queries/money/left-out.ts';
import type { Shell } from './shell.ts';

/** Explains the question mark after a currency. */
export const assumedNote = `?  ${ASSUMED_CURRENCY}`;

export function isAssumed(row: object): boolean {
  return 'currencyAssumed' in row && row.currencyAssumed === true;
}

/** Prints how many fundings a sum excludes, if any. */
export function sayLeftOut(
  shell: Shell,
  { withoutCurrency = 0, assumedCurrency = 0 }: Partial<LeftOut>,
): void {
  if (withoutCurrency > 0) {
    shell.say(
      `${inNoSum(withoutCurrency, 'funding')} not known. "financing-reconcile exceptions --code CURRENCY_UNKNOWN" lists the orders.`,
    );
  }
  sayAssumed(shell, assumedCurrency, 'funding');
}

/** Prints how many items a sum excludes because of an assumed currency, and how to fix that. */
export function sayAssumed(shell: Shell, count: number, kind: 'case' | 'funding'): void {
  if (count === 0) return;
  shell.say(
    `${inNoSum(count, kind)} assumed. "financing-reconcile orders --currency-assumed" lists the orders: import their ledger, or, where all orders are in one currency, set RECONCILIATION_DEFAULT_CURRENCY.`,
  );
}

function inNoSum(count: number, kind: string): string {
  return count === 1
    ? `1 ${kind} is excluded from sums: its currency is`
    : `${count} ${kind}s are excluded from sums: their currency is`;
}
