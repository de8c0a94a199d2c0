import { ASSUMED_CURRENCY } from '../queries/assumed.ts';
import type { LeftOut } from '../queries/left-out.ts';
import type { Shell } from './shell.ts';

/** What the question mark behind a currency means. */
export const assumedNote = `?  ${ASSUMED_CURRENCY}`;

/** Whether a row is marked so. */
export function isAssumed(row: object): boolean {
  return 'currencyAssumed' in row && row.currencyAssumed === true;
}

/** Says which fundings a sum leaves out, where it does. */
export function sayLeftOut(shell: Shell, { withoutCurrency, assumedCurrency }: LeftOut): void {
  if (withoutCurrency > 0) {
    shell.say(
      `${inNoSum(withoutCurrency, 'funding')} not known. "financing-reconcile exceptions --code CURRENCY_UNKNOWN" lists the orders.`,
    );
  }
  sayAssumed(shell, assumedCurrency, 'funding');
}

/** Says how many of a kind a sum leaves out because their currency is assumed, and how that ends. */
export function sayAssumed(shell: Shell, count: number, kind: 'case' | 'funding'): void {
  if (count === 0) return;
  shell.say(
    `${inNoSum(count, kind)} assumed. "financing-reconcile orders --currency-assumed" lists the orders: import their ledger, or, where all orders are in one currency, set RECONCILIATION_DEFAULT_CURRENCY.`,
  );
}

function inNoSum(count: number, kind: string): string {
  return count === 1
    ? `1 ${kind} is in no sum: its currency is`
    : `${count} ${kind}s are in no sum: their currency is`;
}
