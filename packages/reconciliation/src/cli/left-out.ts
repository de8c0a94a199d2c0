import { ASSUMED_CURRENCY } from '../queries/basis/reasons.ts';
import type { LeftOut } from '../queries/money/left-out.ts';
import type { Shell } from './shell.ts';

/** Explains the question mark after a currency. */
export const assumedNote = `?  ${ASSUMED_CURRENCY}`;

export function isAssumed(row: object): boolean {
  return 'currencyAssumed' in row && row.currencyAssumed === true;
}

/** Prints how many fundings a sum excludes, if any. */
export function sayLeftOut(shell: Shell, { withoutCurrency, assumedCurrency }: LeftOut): void {
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

/** Describes the fundings that sums exclude; undefined if there are none. */
export function leftOutText({ withoutCurrency, assumedCurrency }: LeftOut): string | undefined {
  const count = withoutCurrency + assumedCurrency;
  if (count === 0) return undefined;
  return `${count} ${count === 1 ? 'funding' : 'fundings'} in no sum`;
}
