/** What it means that a currency is assumed, and how that ends. */
export const ASSUMED_CURRENCY =
  'The currency is assumed: nothing that was read names the order with a currency. Import the ledger of such orders, or, where all orders are in one currency, set RECONCILIATION_DEFAULT_CURRENCY.';

/** The field of an answer, where it is so. */
export function currencyAssumed(isAssumed: unknown): { currencyAssumed?: true } {
  return isAssumed === true ? { currencyAssumed: true } : {};
}
