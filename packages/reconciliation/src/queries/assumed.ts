/** Explains an assumed currency and how to fix it. */
export const ASSUMED_CURRENCY =
  'The currency is assumed: nothing that was read names the order with a currency. Import the ledger of such orders, or, where all orders are in one currency, set RECONCILIATION_DEFAULT_CURRENCY.';

/** The field of an answer, if the currency is assumed. */
export function currencyAssumed(isAssumed: unknown): { currencyAssumed?: true } {
  return isAssumed === true ? { currencyAssumed: true } : {};
}
